"""The functions of GradBench, the public benchmark of automatic differentiation (github.com/gradbench/gradbench)."""
