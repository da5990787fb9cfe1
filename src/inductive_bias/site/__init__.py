"""Making the site: rendering notebooks, the kernels that they run in, and printing the built pages."""
