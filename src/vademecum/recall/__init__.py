"""Search: a question becomes ranked hits, or nothing and the reason. One pipeline for all profiles.

Start with `pipeline.py` (`Searcher.recall`) and `ranker.py`, which lists the steps of one search: parse the question
(`query_parsing.py`), find candidates (`arms.py`), compute their features and scores (`features.py`, `default_ranker.py`), drop what is
no evidence (`eligibility.py`), compute the confidence of each (`confidence.py`), choose (`decide.py`). All weights and limits are in
`numbers.py`.
"""
