"""The two witnesses at work: a worker runs a submission's labs in the sandbox, and a grader judges what it reports.

job.py     what a worker is asked for, and what it answers
worker.py  the worker's process: it has collected the labs' tests, and forks for each run; it knows no answers
cell.py    what it does within the sandbox for one lab: the lab's tests, and the exam
grader.py  the trusted side: it has the reference's answers, keeps a worker alive, and makes results of answers
results.py puts together what the two witnesses say of a lab
"""
