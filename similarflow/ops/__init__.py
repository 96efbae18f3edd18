"""What can be computed: primitive operations, one file for each family."""
