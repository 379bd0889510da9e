"""The event loop: the real `asyncio` on a ready queue and a heap of timers. It never blocks; the host waits."""

import asyncio
import heapq
from asyncio import base_events, events
from contextvars import copy_context

from wit_world import monotonic_clock

# Turns of the queue in one step: a program that spins must see the outcomes of its calls.
_TURNS = 50
# Failed futures, and lost errors, that are kept.
_MAX_FAILED = 1000
# Failed futures from which on it is worth a look which of them are of no interest any more.
_FEW_FAILED = 8


class Handle(list):
    """A callback that waits for its turn: `[callback, args, context]`, or nothing once it is cancelled.

    A list, and not `asyncio.Handle`: it is made for every wake-up of every task, and this one is made in C.
    """

    __slots__ = ()

    def cancel(self):
        self.clear()

    def cancelled(self):
        return not self


class Loop(base_events.BaseEventLoop):
    """The one loop of a run."""

    def __init__(self):
        super().__init__()
        self.ready = self._ready
        self.timers = self._scheduled
        self.max_timers = 1000
        # What `call_exception_handler` was told of: errors that nobody will see. Only some are kept.
        self.lost = []
        # Futures that failed and that nobody saw fail yet, and a few that somebody did; others tell `lost` when they are freed.
        self.failed = []
        self.sift_at = _FEW_FAILED

    def set_debug(self, enabled):
        """Debugging slows every callback down, and tells nothing that a failure does not."""
        self._debug = False

    # What callbacks and tasks are made of.

    def call_soon(self, callback, *args, context=None):
        handle = Handle((callback, args, context or copy_context()))
        self.ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_at(self, when, callback, *args, context=None):
        if when is None:
            raise TypeError("when cannot be None")
        if len(self.timers) >= self.max_timers:
            self._drop_cancelled()
            if len(self.timers) >= self.max_timers:
                raise RuntimeError(f"{self.max_timers} timers are already set; await some of them before the next")
        timer = events.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self.timers, timer)
        timer._scheduled = True
        return timer

    def call_later(self, delay, callback, *args, context=None):
        if delay is None:
            raise TypeError("delay must not be None")
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def time(self):
        return monotonic_clock() / 1e6

    def create_task(self, coro, **kwargs):
        task = super().create_task(coro, **kwargs)
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task):
        if not task.cancelled() and task._exception is not None:
            self.watch(task)

    def watch(self, failed):
        """Keeps a failed future, to see at the end whether anybody looked at its error."""
        if len(self.failed) >= self.sift_at:
            # What somebody looked at may be freed, with all that its error holds.
            unseen = [other for other in self.failed if other._log_traceback]
            self.failed = unseen if len(unseen) < _MAX_FAILED else unseen[: _MAX_FAILED // 2]
            self.sift_at = max(_FEW_FAILED, 2 * len(self.failed))
        self.failed.append(failed)

    def run_in_executor(self, executor, func, *args):
        """There are no threads: the function runs when its turn comes, and blocks the program."""
        future = self.create_future()

        def work():
            if future.done():
                return
            try:
                future.set_result(func(*args))
            except Exception as error:
                future.set_exception(error)

        self.call_soon(work)
        return future

    # What only a loop that blocks can do.

    def run_forever(self):
        raise RuntimeError("the program already runs in an event loop; use await")

    def run_until_complete(self, future):
        if asyncio.iscoroutine(future):
            future.close()
        raise RuntimeError("the program already runs in an event loop; use await")

    def close(self):
        pass

    def is_running(self):
        return True

    def call_exception_handler(self, context):
        if self._exception_handler is not None:
            super().call_exception_handler(context)
            return
        error = context.get("exception")
        if error is not None and len(self.lost) < _MAX_FAILED:
            self.lost.append(error)

    # What a step does.

    def turn(self, main):
        """Runs until nothing is ready, or `main` is over; a program that spins is cut short after some turns."""
        ready = self.ready
        take = ready.popleft
        for _ in range(_TURNS):
            if self.timers:
                self._due()
            if not ready:
                return
            # As asyncio does: what was ready when the program ended still runs.
            last = main.done()
            for _ in range(len(ready)):
                handle = take()
                if handle:
                    callback, args, context = handle
                    try:
                        context.run(callback, *args)
                    except (SystemExit, KeyboardInterrupt):
                        raise
                    except BaseException as error:
                        self.call_exception_handler({"message": "a callback failed", "exception": error})
            if last:
                return

    def _due(self):
        timers = self.timers
        now = None
        while timers:
            timer = timers[0]
            if not timer._cancelled:
                if now is None:
                    now = self.time()
                if timer._when > now:
                    return
            heapq.heappop(timers)
            timer._scheduled = False
            if not timer._cancelled:
                self.ready.append(Handle((timer._callback, timer._args, timer._context)))

    def _drop_cancelled(self):
        self.timers[:] = [timer for timer in self.timers if not timer._cancelled]
        heapq.heapify(self.timers)

    def _timer_handle_cancelled(self, handle):
        # As the loops of asyncio do: many cancelled timers are dropped together.
        self._timer_cancelled_count += 1
        if self._timer_cancelled_count > 100 and self._timer_cancelled_count * 2 > len(self.timers):
            self._timer_cancelled_count = 0
            self._drop_cancelled()

    def next_due(self):
        """The time of the next timer, in microseconds; None without one."""
        if self.ready:
            return 0.0
        return self.timers[0]._when * 1e6 if self.timers else None


    def reset(self):
        """Forgets the run."""
        self.ready.clear()
        self.timers.clear()
        self.lost.clear()
        self.failed.clear()
        self.sift_at = _FEW_FAILED


def new_loop():
    loop = Loop()
    events._set_running_loop(loop)
    return loop


def _no_run(main, *, debug=None, loop_factory=None):
    if asyncio.iscoroutine(main):
        main.close()
    raise RuntimeError("asyncio.run() can't be called: the program already runs in an event loop; use `await main()`")


def _no_loop():
    raise RuntimeError("the program already runs in an event loop, and there can be no other; use await")


asyncio.run = _no_run
asyncio.new_event_loop = events.new_event_loop = _no_loop
