"""Template -> Butane -> Ignition -> user data: pure functions shared by the rooms that describe machines."""
