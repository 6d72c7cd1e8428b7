"""The product itself: one folder per noun, with the same file names in each.

operations.py  what can be done, declared once      types.py  what goes in and comes out
rules.py       who may do it, as pure functions     store.py  the statements
"""
