"""The exam, the second witness: random operations, seen through a small driver, compared with what the reference does.

operations.py  makes the operations of a lab from a seed; `lab_10_N*.py` and `material.py` hold what they are made of
plan.py        puts them into runs, each of them in a process of its own, and has them done on a stage
stage.py       what a stage is, and how the trusted side looks at files; `local_stage.py` and `host.py` are a plain one
driver.py      does operations with a submission's code and reports what it sees, as do `programs.py`, `repairs.py`,
               `io.py`, `recipes.py`, `values.py` and `reports.py`, beside that code and without any answer
judge.py       compares what was seen of a submission and of the reference; `facts.py` and `errors.py` say what counts
"""
