"""The classes by which BBCode's colours and sizes are shown. Styles inside the text would need a weaker policy."""

COLOURS = (
    "black", "blue", "brown", "cyan", "gold", "gray", "green", "lime", "magenta", "maroon", "navy", "olive", "orange",
    "pink", "purple", "red", "silver", "teal", "violet", "white", "yellow",
)  # fmt: skip
SIZES = range(1, 8)

CLASSES = {f"bb-{colour}" for colour in COLOURS} | {f"bb-size-{size}" for size in SIZES}
