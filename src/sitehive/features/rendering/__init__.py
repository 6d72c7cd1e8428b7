"""From what people write to HTML that is safe to show to anybody. This is the only place where that happens."""
