import Foundation
import ProcessTesting
import Synchronization

/// A reader of a player's position from outside, by mpv's JSON IPC.
final class PlaceProbe: @unchecked Sendable {
  // Used by one thread at a time: the recorder's.
  private let socket: UnixSocket
  private var number = 0

  /// One reading: the player's position at an instant between the request and the answer.
  struct Reading: Sendable {
    /// `CLOCK_MONOTONIC`, in seconds.
    var instant: Double
    /// The possible error of the instant, either way, in seconds.
    var tolerance: Double
    /// `audio-pts`, in seconds.
    var place: Double

    /// A value that is constant while the film plays at its normal speed.
    var offset: Double { place - instant }
    /// A Boolean value that indicates whether the request was quick enough for a useful reading.
    var isUseful: Bool { tolerance < 0.002 }
  }

  init(path: String) throws {
    socket = try UnixSocket(path: path, patience: 2)
    say(#"{"command":["disable_event","all"]}"#)
  }

  /// - Returns: nil if there is no sound, or if mpv has ended.
  func read() -> Reading? {
    number += 1
    let asked = Self.now()
    say(#"{"command":["get_property","audio-pts"],"request_id":\#(number)}"#)
    while let line = socket.read(until: "\n") {
      let answered = Self.now()
      guard let answer = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
        (answer["request_id"] as? NSNumber)?.intValue == number
      else { continue }
      return (answer["data"] as? NSNumber).map {
        Reading(
          instant: (asked + answered) / 2, tolerance: (answered - asked) / 2,
          place: $0.doubleValue)
      }
    }
    return nil
  }

  private func say(_ line: String) { socket.write(line + "\n") }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// A recorder of several players at once, twenty times a second.
final class PlaceRecorder: Sendable {
  private let readings: Mutex<[String: [PlaceProbe.Reading]]> = Mutex([:])
  private let isStopped = Atomic(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// - Parameter probes: by the participant's name.
  init(_ probes: [String: PlaceProbe]) {
    Thread { [self] in
      while !isStopped.load(ordering: .acquiring) {
        for (name, probe) in probes {
          guard let reading = probe.read() else { continue }
          readings.withLock { $0[name, default: []].append(reading) }
        }
        usleep(50_000)
      }
      hasEnded.signal()
    }.start()
  }

  /// Returns all readings; blocks for a moment.
  func stop() -> [String: [PlaceProbe.Reading]] {
    isStopped.store(true, ordering: .releasing)
    hasEnded.wait()
    return readings.withLock { $0 }
  }
}
