"""Fast or good? What models of equal size cost by the length of what they read, and the time until they are right.

The times are measured by the benchmark ``speed``, whose published table the study reads.
"""
