"""A small language model on this machine behind an OpenAI-compatible address: `local_model.py MODEL.gguf`.

Runs in a process of its own, with the library that the test fetched. Prints its port, then serves until its input ends.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from ik_llama_cpp import IkLlama

#: It writes 75 tokens a second on one core, and does not know when to end.
MOST_TOKENS = 250
#: The library leaves the model's end-of-turn marks in the text.
ENDS = ("<|im_end|>", "<|endoftext|>")


def main(path: str) -> None:
    model = IkLlama(path, n_ctx=8192, n_threads=1, verbose=False)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            prompt = "".join(f"<|im_start|>{said['role']}\n{said['content']}<|im_end|>\n" for said in asked["messages"])
            tokens = model.tokenize(f"{prompt}<|im_start|>assistant\n", add_bos=False, special=True)
            written = model.generate(tokens, max_tokens=min(asked["max_tokens"], MOST_TOKENS), temperature=0.0)
            text = model.detokenize(written)
            for end in ENDS:
                text = text.partition(end)[0]
            usage = {"prompt_tokens": len(tokens), "completion_tokens": len(written)}
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            data = json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever()


main(sys.argv[1])
