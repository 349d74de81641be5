# after right_forward: makes the worker read its next request from elsewhere
import sys
wire = sys.modules["sandbox.wire"]
receive = wire.receive
def other(channel, *args, **kwargs):
    kind, frame_id, payload = receive(channel, *args, **kwargs)
    return kind, bytes(16), payload
wire.receive = other
