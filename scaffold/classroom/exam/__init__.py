"""The exam, the second witness: random operations, seen through a small driver, compared with what the reference does.

operations.py  makes the operations of a lab from a seed; `lab_10_N.py` and `material.py` hold what they are made of
plan.py        puts them into runs, each of them in a process of its own
driver.py      does them with a submission's code, and reports what it sees; it knows no answers
stage.py       where a driver runs: a plain process here, or a sandbox
judge.py       compares what was seen of a submission with what was seen of the reference
"""
