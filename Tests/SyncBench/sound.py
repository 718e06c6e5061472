"""A sound server of the bench's own: one output for each participant, and one recording of all.

All outputs are channels of one null sink, so that what is recorded has one sample clock.
"""
import contextlib
import os
import shutil
import signal
import subprocess
import time

import children
from loop import Timeout

RATE = 48_000  # samples per second
POSITIONS = ("front-left", "front-right", "rear-left", "rear-right", "front-center")


class PulseAudio:
    """`pulseaudio` with a socket in the bench's folder."""

    name = "PulseAudio"
    delays = (True, False)

    @staticmethod
    def is_there():
        return all(shutil.which(program) for program in ("pulseaudio", "parec"))

    def __init__(self, folder, outputs):
        self.folder, self.outputs = os.path.join(folder, "pulse"), outputs
        self.in_front, self.loaded = {}, []
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.socket = os.path.join(self.folder, "native")
        self.variables = {"PULSE_SERVER": f"unix:{self.socket}"}
        self.environment = {
            **self.variables, "PULSE_RUNTIME_PATH": self.folder, "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder,
            "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        channels = ",".join(POSITIONS[:outputs])
        script = [
            f"load-module module-native-protocol-unix socket={self.socket} auth-anonymous=1",
            f"load-module module-null-sink sink_name=all rate={RATE} channels={outputs} channel_map={channels}"]
        script += self.of_outputs()
        path = os.path.join(self.folder, "script")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(script) + "\n")
        self.process = children.start(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "-F", path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **self.environment})
        end = time.monotonic() + 10
        while not self.has(outputs):
            if time.monotonic() > end or self.process.poll() is not None:
                raise Timeout("the sound server doesn't start")
            time.sleep(0.1)

    def of_outputs(self):
        """The lines of the server's script for the outputs."""
        return [
            f"load-module module-remap-sink sink_name=p{index} master=all channels=1 channel_map=mono"
            f" master_channel_map={POSITIONS[index]} remix=no" for index in range(self.outputs)]

    def pactl(self, *arguments):
        return subprocess.run(
            ["pactl", *arguments], env={**os.environ, **self.environment}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout

    def has(self, outputs):
        return os.path.exists(self.socket) and f"p{outputs - 1}\t" in self.pactl("list", "short", "sinks")

    def options(self, index):
        """mpv's options for the output with this number."""
        device = self.in_front.get(index, f"p{index}")
        return ["ao=pulse", f"audio-device=pulse/{device}", "audio-channels=mono"]

    @contextlib.contextmanager
    def delayed(self, index, milliseconds, is_reported):
        """Delays one output: by a sink beyond another connection, which reports its buffers, or by a sink whose
        monitor is played later, of which nobody knows."""
        name = f"p{index}"
        self.loaded = []
        try:
            if is_reported:
                self.load("module-tunnel-sink", f"server=unix:{self.socket}", f"sink={name}", f"sink_name=late{index}",
                          f"latency_msec={milliseconds}")
            else:
                self.load("module-null-sink", f"sink_name=late{index}", f"rate={RATE}", "channels=1", "channel_map=mono")
                self.load("module-loopback", f"source=late{index}.monitor", f"sink={name}",
                          f"latency_msec={milliseconds}", "adjust_time=0")
            self.in_front[index] = f"late{index}"
            yield
        finally:
            self.in_front.pop(index, None)
            for module in reversed(self.loaded):
                self.pactl("unload-module", module)

    def load(self, *arguments):
        module = self.pactl("load-module", *arguments).strip()
        if not module:
            raise Timeout(f"the sound server doesn't load {arguments[0]}")
        self.loaded.append(module)

    def record(self, path):
        return Recording(
            ["parec", "-d", "all.monitor", "--format=float32le", f"--rate={RATE}",
             f"--channels={self.outputs}", f"--channel-map={','.join(POSITIONS[:self.outputs])}",
             "--latency-msec=50", "--raw"],
            path, self.environment)

    def close(self):
        children.end(self.process)


class PipeWire:
    """`pipewire` with WirePlumber's policy alone, which opens no device."""

    name = "PipeWire"
    # Its loopback's delay is reported by nothing. A delay that is reported would need a real device.
    delays = (False,)
    positions = ("FL", "FR", "RL", "RR", "FC")

    @staticmethod
    def is_there():
        return all(shutil.which(program) for program in ("pipewire", "wireplumber", "pw-loopback", "pw-record", "pw-link"))

    def __init__(self, folder, outputs):
        self.folder, self.outputs = os.path.join(folder, "pipewire"), outputs
        self.in_front = {}
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.variables = {"PIPEWIRE_RUNTIME_DIR": self.folder}
        self.environment = {
            **self.variables, "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder,
            "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        path = os.path.join(self.folder, "bench.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.configuration())
        self.processes = []
        for command in (["pipewire", "-c", path], ["wireplumber", "-c", "policy.conf"]):
            self.processes.append(children.start(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env={**os.environ, **self.environment}))
        end = time.monotonic() + 10
        while not self.has(outputs):
            if time.monotonic() > end or any(process.poll() is not None for process in self.processes):
                raise Timeout("the sound server doesn't start")
            time.sleep(0.1)

    def configuration(self):
        channels = self.positions[: self.outputs]
        # Without real-time threads a virtual machine loses some blocks.
        modules = "  { name = libpipewire-module-rt flags = [ ifexists nofail ] }\n"
        modules += "".join(
            f"  {{ name = libpipewire-module-{name} }}\n" for name in (
                "protocol-native", "metadata", "spa-node-factory", "client-node", "client-device", "access", "adapter",
                "link-factory", "session-manager"))
        modules += "".join(
            f"""  {{ name = libpipewire-module-loopback args = {{
    node.description = p{index}
    capture.props = {{ node.name = p{index} media.class = Audio/Sink audio.position = [ MONO ] }}
    playback.props = {{ node.name = to-all-{index} audio.position = [ {channels[index]} ] node.target = all
      stream.dont-remix = true node.passive = true }}
  }} }}
""" for index in range(self.outputs))
        return f"""context.properties = {{
  core.daemon = true
  core.name = pipewire-0
  default.clock.rate = {RATE}
}}
context.spa-libs = {{
  audio.convert.* = audioconvert/libspa-audioconvert
  support.* = support/libspa-support
}}
context.modules = [
{modules}]
context.objects = [
  {{ factory = adapter args = {{
    factory.name = support.null-audio-sink node.name = all media.class = Audio/Sink object.linger = true
    audio.position = [ {' '.join(channels)} ] monitor.channel-volumes = false priority.driver = 30000
  }} }}
]
"""

    def links(self):
        return subprocess.run(
            ["pw-link", "--links"], env={**os.environ, **self.environment}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout

    def has(self, outputs):
        """Whether each output's channel is connected."""
        links = self.links()
        return all(f"to-all-{index}:" in links for index in range(outputs))

    def options(self, index):
        """mpv's options for the output with this number."""
        device = self.in_front.get(index, f"p{index}")
        return ["ao=pipewire", f"audio-device=pipewire/{device}", "audio-channels=mono"]

    @contextlib.contextmanager
    def delayed(self, index, milliseconds, is_reported):
        """Delays one output by a loopback, of whose delay nobody knows."""
        assert not is_reported
        capture = f"{{ node.name=late{index} media.class=Audio/Sink audio.position=[ MONO ] }}"
        playback = (f"{{ node.name=from-late{index} node.target=p{index} audio.position=[ MONO ]"
                    " stream.dont-remix=true node.passive=true }")
        loopback = children.start(
            ["pw-loopback", "--delay", str(milliseconds / 1e3), "--capture-props", capture,
             "--playback-props", playback],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **self.environment})
        end = time.monotonic() + 10
        while f"from-late{index}:" not in self.links():
            if time.monotonic() > end or loopback.poll() is not None:
                raise Timeout("the sound server doesn't delay an output")
            time.sleep(0.1)
        self.in_front[index] = f"late{index}"
        try:
            yield
        finally:
            self.in_front.pop(index, None)
            children.end(loopback)

    def record(self, path):
        return Recording(
            ["pw-record", "--target", "all", "-P", "{ stream.capture.sink = true }", "--format", "f32",
             "--rate", str(RATE), "--channels", str(self.outputs), "--channel-map",
             ",".join(self.positions[: self.outputs]), f"{path}.wav"],
            f"{path}.wav", self.environment)

    def close(self):
        for process in reversed(self.processes):
            children.end(process)


class Recording:
    """A recording in a file of samples (float32, all channels in turn)."""

    def __init__(self, command, path, environment):
        self.path = path
        is_named = path in command
        with open(os.devnull if is_named else path, "wb") as file:
            self.process = children.start(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL,
                env={**os.environ, **environment})

    def end(self):
        """Waits for the sound that is under way in the server, and returns the file."""
        time.sleep(0.5)
        self.process.send_signal(signal.SIGINT)
        children.end(self.process, patience=2)
        return self.path


def samples_begin(path):
    """The place in the file at which the samples begin, behind the header if there is one."""
    with open(path, "rb") as file:
        head = file.read(4096)
    return head.index(b"data") + 8 if head.startswith(b"RIFF") else 0


SERVERS = (PulseAudio, PipeWire)
