import CPulseLatency

/// PulseAudio's times in mpv: where the sound is.
enum PulseTimes {
  /// A Boolean value that indicates whether mpv gets raw times from here. False for a libmpv without PulseAudio, and for
  /// one that is part of the program.
  static let areRaw = pulse_latency_install("libmpv.so")

  /// mpv's options for raw times, which are within 0.2 ms of what is heard, by recordings.
  static var options: [MPVConfiguration.Option] {
    // Exact, too, but mpv waits for the server's answer each time.
    areRaw ? [] : [.init(name: "pulse-latency-hacks", value: "yes", isOptional: true)]
  }
}
