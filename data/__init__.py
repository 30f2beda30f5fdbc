"""The facts of each rule system, and the example campaigns."""
