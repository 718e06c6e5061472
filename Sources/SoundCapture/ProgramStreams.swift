/// The streams of a sound server's programs, by the server's indices.
struct ProgramStreams: Sendable {
  /// Identifies a program. Browsers play and record over several connections.
  struct Program: Hashable, Sendable {
    /// The process's number, or the connection's if its program doesn't send it.
    var process: String
    /// The file's name: processes in different sandboxes have the same numbers.
    var binary: String?
  }

  /// A connection of a program.
  struct Client: Sendable {
    var program: Program
    var role: String?
  }

  /// A stream to an output (a sink input).
  struct Playback: Sendable {
    var client: UInt32
    var sink: UInt32
    var role: String?
    /// A Boolean value that indicates whether its sound is that of other programs, such as an equalizer's.
    var isFilter: Bool
  }

  /// A stream from a microphone or a monitor (a source output).
  struct Recording: Sendable {
    var client: UInt32
    var source: UInt32
  }

  var clients: [UInt32: Client] = [:]
  var playbacks: [UInt32: Playback] = [:]
  var recordings: [Recording] = []
  /// The source that has the sound of each sink.
  var monitors: [UInt32: UInt32] = [:]

  /// Returns the playbacks that are calls, each with the monitor of its sink.
  ///
  /// A role decides, if a stream has one: games play and record at once too. Without a role, a program that records is
  /// taken for a call.
  ///
  /// - Parameter own: the process whose streams are ignored.
  func calls(except own: String) -> [UInt32: UInt32] {
    let monitorSources = Set(monitors.values)
    let recorders = Set(
      recordings.filter { !monitorSources.contains($0.source) }
        .compactMap { clients[$0.client]?.program })
    var calls: [UInt32: UInt32] = [:]
    for (index, playback) in playbacks where !playback.isFilter {
      // Streams of the server's own modules have no client.
      guard let client = clients[playback.client], client.program.process != own,
        let monitor = monitors[playback.sink]
      else { continue }
      let isCall =
        if let role = playback.role ?? client.role {
          // PulseAudio's and PipeWire's name.
          ["phone", "communication"].contains(role.lowercased())
        } else {
          recorders.contains(client.program)
        }
      if isCall { calls[index] = monitor }
    }
    return calls
  }
}
