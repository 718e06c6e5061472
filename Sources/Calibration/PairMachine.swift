import Timekeeping

/// One of two machines that find the difference between their outputs' delays: a pure machine, driven by events.
///
/// Both record all the time. The first plays the sweeps, then the second; each sends the other the times of its sound, in
/// the group's time. Each finds both delays in its own recording, and both exchange their findings. Neither leaves before
/// the other knows both.
package struct PairMachine: Sendable {
  /// The order of playing.
  package enum Role: Hashable, Sendable { case first, second }

  /// A reading of the player's position at an instant of the group's time.
  package struct Mark: Hashable, Sendable, Codable {
    /// The position in ``CalibrationSound``, in seconds.
    package var seconds: Double
    /// The instant.
    package var time: GroupTime

    package init(seconds: Double, time: GroupTime) {
      self.seconds = seconds
      self.time = time
    }
  }

  /// The delays of both outputs in one machine's recording, and the delay that this machine already corrects.
  package struct Findings: Hashable, Sendable {
    /// The delays of both outputs.
    package var heard: PairedDelays.Heard
    /// The latency offset that is saved for the machine's output.
    package var offset: Duration

    package init(heard: PairedDelays.Heard, offset: Duration) {
      self.heard = heard
      self.offset = offset
    }
  }

  /// A message to the other machine.
  package enum Message: Hashable, Sendable, Codable {
    /// The sender records.
    case recording
    /// The sender has played the sweeps.
    case played([Mark])
    /// The sender has found both delays: the own one, the other's, and its saved latency offset, in ns.
    case found(own: Int64, other: Int64, offset: Int64)
    /// The sender has both findings.
    case done
    /// The sender has no result.
    case failed
  }

  /// An event of this machine's program or from the other machine.
  package enum Event: Hashable, Sendable {
    /// The microphone delivers sound.
    case recording
    /// The sweeps have been played.
    case played([Mark])
    /// The delays of both outputs have been found.
    case found(Findings)
    /// This machine has no result.
    case failed
    /// The other machine sent a message at this instant of the group's time.
    case received(Message, at: GroupTime)
    /// The other machine has left.
    case left
    /// No event has come for ``patience``.
    case silence
  }

  /// A request to the program.
  package enum Action: Hashable, Sendable {
    /// Send a message to the other machine.
    case send(Message)
    /// Play the own sweeps and record both machines'.
    case play
    /// Find both outputs' delays in the recording.
    case find(own: [Mark], other: [Mark])
    /// Show the result and end.
    case finish(Outcome)
  }

  /// The result. Nothing follows it.
  package enum Outcome: Hashable, Sendable {
    /// - Parameter lateness: the time by which the own sound is later than the other machine's, with both offsets.
    case compared(PairedDelays, lateness: Duration)
    /// The sound seems to take this long from one machine to the other: see ``PairedDelays/Refusal/apart(_:)``.
    case apart(Duration)
    /// This machine failed, for a reason that it knows.
    case failed
    /// The other machine failed, for a reason that it shows.
    case otherFailed
    /// The other machine left before the result.
    case otherLeft
    /// The other machine sent nothing for ``patience``.
    case otherSilent
    /// The other machine's message is impossible.
    case senseless
  }

  /// The longest time without an event: the sweeps, a slow start of the player, and the search in the recording.
  package static let patience = Duration.seconds(60)
  private static let mostMarks = 2000
  /// The largest distance between a message and an instant in it.
  private static let longestAgo = Duration.seconds(120)
  /// The largest delay in a message.
  private static let longestDelay = Duration.seconds(20)

  private let role: Role
  private var isRecording = false
  private var isOtherRecording = false
  private var isPlaying = false
  private var isSearching = false
  private var isOver = false
  private var played: [Mark]?
  private var otherPlayed: [Mark]?
  private var found: Findings?
  private var otherFound: Findings?
  private var isOtherDone = false
  private var outcome: Outcome?

  /// Creates a machine that waits for both microphones.
  package init(_ role: Role) { self.role = role }

  /// Handles an event and returns the actions that follow from it, in their order.
  package mutating func handle(_ event: Event) -> [Action] {
    guard !isOver else { return [] }
    switch event {
    case .recording:
      isRecording = true
      return [.send(.recording)] + next()
    case .played(let marks):
      played = marks
      return [.send(.played(marks))] + next()
    case .found(let findings):
      found = findings
      let heard = findings.heard
      return [
        .send(
          .found(
            own: heard.own.inNanoseconds, other: heard.other.inNanoseconds,
            offset: findings.offset.inNanoseconds))
      ] + next()
    case .failed: return [.send(.failed)] + finish(.failed)
    case .received(let message, let now): return receive(message, at: now)
    case .left: return finish(outcome ?? .otherLeft)
    case .silence: return [.send(.failed)] + finish(outcome ?? .otherSilent)
    }
  }

  private mutating func receive(_ message: Message, at now: GroupTime) -> [Action] {
    switch message {
    case .recording: isOtherRecording = true
    case .played(let marks):
      guard Self.isPossible(marks, at: now) else { return [.send(.failed)] + finish(.senseless) }
      otherPlayed = marks
    case .found(let own, let other, let offset):
      let durations = [own, other, offset].map { Duration.nanoseconds($0) }
      guard durations.allSatisfy({ $0.magnitude <= Self.longestDelay }) else {
        return [.send(.failed)] + finish(.senseless)
      }
      otherFound = Findings(
        heard: .init(own: durations[0], other: durations[1]), offset: durations[2])
    case .done: isOtherDone = true
    case .failed: return finish(outcome ?? .otherFailed)
    }
    return next()
  }

  /// Returns whether an honest machine could have read these positions a moment ago.
  private static func isPossible(_ marks: [Mark], at now: GroupTime) -> Bool {
    let (before, after) = (now - longestAgo, now + longestAgo)
    return marks.count <= mostMarks
      && marks.allSatisfy {
        $0.seconds.isFinite && abs($0.seconds) < longestAgo.inSeconds && $0.time >= before
          && $0.time <= after
      }
  }

  /// Returns the actions that have become possible.
  private mutating func next() -> [Action] {
    if isRecording, isOtherRecording, !isPlaying, role == .first || otherPlayed != nil {
      isPlaying = true
      return [.play]
    }
    if !isSearching, let played, let otherPlayed {
      isSearching = true
      return [.find(own: played, other: otherPlayed)]
    }
    guard let found, let otherFound else { return [] }
    let isNew = outcome == nil
    let outcome = outcome ?? Self.outcome(found, otherFound)
    self.outcome = outcome
    return (isNew ? [.send(.done)] : []) + (isOtherDone ? finish(outcome) : [])
  }

  private static func outcome(_ own: Findings, _ other: Findings) -> Outcome {
    do {
      let delays = try PairedDelays(own: own.heard, other: other.heard)
      return .compared(
        delays, lateness: delays.lateness(offset: own.offset, other: other.offset))
    } catch {
      switch error {
      case .apart(let way): return .apart(way)
      }
    }
  }

  private mutating func finish(_ outcome: Outcome) -> [Action] {
    isOver = true
    return [.finish(outcome)]
  }
}
