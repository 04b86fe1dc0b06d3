"""What holds the course up: the register of labs, the given code, the grader and the tools for authors."""
