"""Rate limiters, behind `kernel.limiter.Limiter`."""
