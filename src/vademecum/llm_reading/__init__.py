"""Read conversations with a language model, and compare memories with one.

Start with `read_sessions.py`: it takes conversations from the queue (`context/llm_queue.py`), asks about each
(`extract/reading_prompt.py`) and routes the candidates. `compare_memories.py` asks how two memories relate.
"""
