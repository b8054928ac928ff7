"""Search: parse a question, run the arms, score the candidates, apply the threshold. One pipeline for all profiles."""
