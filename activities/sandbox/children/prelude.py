# Runs before a script: takes away every way from Python to the JavaScript around it, and gives back the function that runs the script.


def prepare():
    import asyncio
    import gc
    import importlib
    import inspect
    import json
    import linecache
    import sys
    import time
    import traceback

    import _imp

    # These reach memory, JavaScript, another interpreter, other processes or the network.
    unsafe = {"_ctypes", "_posixsubprocess", "_pyodide_core", "_remote_debugging", "_socket", "fcntl", "mmap", "select", "termios"}
    unsafe.update(name for name in sys.builtin_module_names if name.startswith(("_test", "_xx", "xx")))
    # A module of C comes to be by its name alone. All that a script may need are loaded, and then no other can be.
    for name in sys.builtin_module_names:
        if name not in unsafe:
            importlib.import_module(name)
    for name in ("create_builtin", "exec_builtin", "create_dynamic", "exec_dynamic"):
        delattr(_imp, name)

    # In Node this one would start a process on the machine.
    for module in ("os", "posix"):
        delattr(sys.modules[module], "system")

    class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
        pass

    class Clock:
        """Stands for a selector: nothing comes from outside, so only timers are waited for."""

        def select(self, seconds):
            if seconds is None:
                raise RuntimeError("main waits for something that never comes")
            time.sleep(seconds)
            return []

    class Loop(asyncio.BaseEventLoop):
        def __init__(self):
            super().__init__()
            self._selector = Clock()

        def _process_events(self, events):
            pass

        def _write_to_self(self):
            pass

    Policy._loop_factory = Loop
    # Pyodide has put functions in their places that go through JavaScript.
    time.sleep = time.sleep.__wrapped__
    asyncio.run = asyncio.runners.run
    asyncio._set_running_loop(None)
    asyncio.events._set_event_loop_policy(Policy())

    importers = ("FrozenImporter", "PathFinder")
    sys.meta_path[:] = [importer for importer in sys.meta_path if getattr(importer, "__name__", "") in importers]
    for name in list(sys.modules):
        first = name.partition(".")[0]
        if first in unsafe or first in ("js", "pyodide", "pyodide_js", "_pyodide", "socket", "ssl", "subprocess"):
            # The functions of these modules may live on in a list of the collector; what they refer to does not.
            getattr(sys.modules.pop(name), "__dict__", {}).clear()
    for thing in gc.get_objects():
        if type(thing).__name__ in ("JsFinder", "JsLoader"):
            vars(thing).clear()
    # These classes make things of JavaScript: an exception of it leads to every object of the process.
    def refuse(*_args, **_named):
        raise TypeError("nothing of JavaScript can be made here")

    for thing in gc.get_objects():
        if isinstance(thing, type) and type(thing).__name__ == "_JsProxyMetaClass":
            thing.__new__ = refuse
    sys.excepthook = sys.__excepthook__
    sys.path[:] = [path for path in sys.path if path.endswith(".zip")]
    sys.stdout.reconfigure(line_buffering=True)
    sys.stderr.reconfigure(line_buffering=True)
    gc.collect()

    dumps, loads = json.dumps, json.loads
    out, err = sys.stdout, sys.stderr
    most_output = 1024 * 1024
    file = "script.py"

    def described(error):
        try:
            told = traceback.TracebackException.from_exception(error)
            links = [told]
            while links:
                link = links.pop()
                link.stack = traceback.StackSummary.from_list([frame for frame in link.stack if frame.filename == file])
                links.extend(each for each in (link.__cause__, link.__context__) if each is not None)
            return "".join(told.format())
        except BaseException:
            return "an exception that cannot be shown"

    def failed(error, code):
        return ("SCRIPT_MEMORY_LIMIT" if isinstance(error, MemoryError) else code) + "\n" + described(error)

    def perform(script, input):
        linecache.cache[file] = (len(script), None, script.splitlines(True), file)
        try:
            scope = {"__name__": "__main__", "__file__": file, "__builtins__": __builtins__}
            exec(compile(script, file, "exec"), scope)
            main = scope.get("main")
            if not callable(main):
                return "SCRIPT_FAILED\nthe script has no function main(input)"
            value = main(loads(input))
            if inspect.isawaitable(value):
                with asyncio.Runner(loop_factory=Loop) as runner:
                    value = runner.run(waited(value))
        except BaseException as error:
            return failed(error, "SCRIPT_FAILED")
        if not isinstance(value, dict):
            return "SCRIPT_OUTPUT_INVALID\nmain returned no dict"
        try:
            text = dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
            if len(text) > most_output:
                return "SCRIPT_OUTPUT_TOO_LARGE\n"
            text.encode()
            return "output\n" + text
        except BaseException as error:
            return failed(error, "SCRIPT_OUTPUT_INVALID")

    async def waited(value):
        return await value

    def run(script, input):
        answer = perform(script, input)
        try:
            out.flush()
            err.flush()
        except BaseException:
            pass
        return answer

    return run


prepare
