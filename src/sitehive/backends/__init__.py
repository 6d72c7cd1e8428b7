"""What the product stands on, behind small interfaces: databases and rate limiters."""
