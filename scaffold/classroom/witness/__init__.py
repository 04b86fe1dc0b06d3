"""The two witnesses at work: a worker runs a submission's labs in the sandbox, and a grader judges what it reports.

job.py       what a worker is asked for, and what it answers
worker.py    the worker's process: it has collected the labs' tests, and forks for each job; it knows no answers
lab_run.py   what it does within the sandbox for one lab: the exam, and the lab's tests
lab_tests.py runs the lab's tests, as a student's own run would
together.py  runs all labs of a submission in the same processes, for those that turn out right
rounds.py    which labs are run, over what, and in which order
grader.py    the trusted side: it has the reference's answers, keeps a worker alive, and makes results of answers
results.py   puts together what the two witnesses say of a lab
"""
