"""Google's Cloud DNS, IAM and Resource Manager, below /google. Shapes as in Google's discovery documents."""
