"""A local page that asks the library: `errorfloor app`."""
