"""The page for people at `/`: what exists, what it costs, what happened last.

No secret can be on it, because nothing has to be taken off: the templates get nothing but the frozen
dataclasses of this package, and each of their fields is named and filled one by one. A field that the store
gains later does not appear by itself.
"""
