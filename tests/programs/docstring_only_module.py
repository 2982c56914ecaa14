# run: module
"""Nothing happens here either."""
