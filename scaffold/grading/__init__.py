"""Runs one lab of one tree in a child process and makes the verdict."""
