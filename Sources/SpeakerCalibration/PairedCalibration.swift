import Calibration
import Foundation
import GroupActivities
import MPVPlayer
import Screening
import SoundCapture
import Timekeeping

/// The activity of two machines beside one another that compare their sounds.
struct ComparingSounds: GroupActivity {
  static let activityIdentifier = "matinee.comparing-sounds"

  var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .generic, title: "Calibration")
  }
}

extension PairMachine.Message: CustomMessageIdentifiable {
  /// The name of the messages on the wire.
  public static var messageIdentifier: String { "comparing-sounds" }
}

/// The shell of a ``PairMachine``: a party of two, a microphone and a player.
///
/// The microphone records from the other machine's arrival to the end, so that its delay stays the same for both sounds.
@MainActor
package final class PairedCalibration {
  /// The result on this machine.
  package struct Measured: Hashable, Sendable {
    package var outcome: PairMachine.Outcome
    /// The offset that was saved for the device before.
    package var before: Duration
    /// The device that played the sweeps; nil if the other machine ended it before.
    package var device: AudioDevice?
  }

  /// The largest uncertainty of the group's time that doesn't spoil the result.
  private static let largestDoubt = Duration.milliseconds(5)
  private static let patienceForClock = Duration.seconds(10)
  private static let patienceForOther = Duration.seconds(20)
  /// Every third reading of the player's position is sent, more than ten each second.
  private static let sparseness = 3

  private let party: Party
  private let configuration: MPVConfiguration
  private let microphone: String?
  private let saved: @Sendable (AudioDevice) throws(CalibrationFailure) -> Duration
  private let events: AsyncStream<PairMachine.Event>
  private let sink: AsyncStream<PairMachine.Event>.Continuation
  private var recorder: SoundRecorder?
  private var device: AudioDevice?
  private var before = Duration.zero
  private var failure: CalibrationFailure?
  private var tasks: [Task<Void, Never>] = []

  /// - Parameters:
  ///   - party: a party that only this pair has.
  ///   - saved: returns the offset that is saved for a device; zero for none.
  package init(
    _ party: Party, configuration: MPVConfiguration, microphone: String?,
    saved: @escaping @Sendable (AudioDevice) throws(CalibrationFailure) -> Duration
  ) {
    self.party = party
    self.configuration = configuration
    self.microphone = microphone
    self.saved = saved
    // There are about ten events in all. More come only from a hostile machine.
    (events, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64))
  }

  /// Compares the sounds. The party's creator waits for the other machine without an end.
  ///
  /// - Parameter arrived: called when the other machine is there.
  package func run(isHost: Bool, arrived: () -> Void) async throws(CalibrationFailure) -> Measured {
    defer {
      for task in tasks { task.cancel() }
      sink.finish()
    }
    let session = try await session(isHost: isHost)
    let messenger = GroupSessionMessenger(session: session)
    let messages = messenger.messages(of: PairMachine.Message.self)
    await session.join()
    try await waitForOther(in: session, patience: isHost ? nil : Self.patienceForOther)
    try await waitForClock()
    arrived()
    follow(session, messages)
    do {
      recorder = try await SoundRecorder(microphone: microphone)
    } catch {
      throw .capture(error)
    }
    let outcome = try await drive(PairMachine(isHost ? .first : .second), through: messenger)
    if let failure { throw failure }
    return Measured(outcome: outcome, before: before, device: device)
  }

  // MARK: - The other machine

  private func session(
    isHost: Bool
  ) async throws(CalibrationFailure) -> GroupSession<ComparingSounds> {
    if isHost {
      do {
        try await ComparingSounds().activate(in: party)
      } catch {
        throw .party(ErrorAdvice.text(of: error))
      }
    }
    let sessions = await ComparingSounds.sessions(in: party)
    let found = await first(of: sessions, within: isHost ? nil : Self.patienceForOther)
    guard let found else { throw .otherParty }
    return found
  }

  private func waitForOther(
    in session: GroupSession<ComparingSounds>, patience: Duration?
  ) async throws(CalibrationFailure) {
    let own = party.localID
    let others = session.activeParticipantsUpdates.filter { participants in
      participants.contains { $0.id != own }
    }
    guard await first(of: others, within: patience) != nil else { throw .otherLeft }
    guard session.activeParticipants.count == 2 else { throw .crowd }
  }

  private func waitForClock() async throws(CalibrationFailure) {
    let end = HostTime.now() + Self.patienceForClock
    while party.clock.reading.map({ $0.uncertainty > Self.largestDoubt }) ?? true {
      guard HostTime.now() < end else { throw .clock(party.clock.reading?.uncertainty) }
      try? await Task.sleep(for: .milliseconds(100), clock: .suspending)
    }
  }

  private func follow(
    _ session: GroupSession<ComparingSounds>,
    _ messages: AsyncStream<(PairMachine.Message, GroupSessionMessenger.MessageContext)>
  ) {
    let (clock, sink) = (party.clock, sink)
    tasks.append(
      Task {
        for await (message, _) in messages {
          guard let now = clock.reading?.groupTime(at: .now()) else { continue }
          sink.yield(.received(message, at: now))
        }
      })
    let updates = session.activeParticipantsUpdates
    tasks.append(
      Task {
        for await participants in updates where participants.count < 2 { sink.yield(.left) }
      })
  }

  // MARK: - The machine

  private func drive(
    _ machine: PairMachine, through messenger: GroupSessionMessenger
  ) async throws(CalibrationFailure) -> PairMachine.Outcome {
    var machine = machine
    sink.yield(.recording)
    var watchdog: Task<Void, Never>?
    defer { watchdog?.cancel() }
    for await event in events {
      watchdog?.cancel()
      watchdog = Task { [sink] in
        guard (try? await Task.sleep(for: PairMachine.patience, clock: .suspending)) != nil
        else { return }
        sink.yield(.silence)
      }
      for action in machine.handle(event) {
        switch action {
        case .send(let message):
          do {
            try await messenger.send(message)
          } catch {
            // A message that is lost would be waited for in vain.
            throw .party(ErrorAdvice.text(of: error))
          }
        case .play: tasks.append(Task { await play() })
        case .find(let own, let other): tasks.append(Task { await find(own, other) })
        case .finish(let outcome): return outcome
        }
      }
    }
    throw .otherLeft
  }

  private func fail(_ failure: CalibrationFailure) {
    self.failure = failure
    sink.yield(.failed)
  }

  private func play() async {
    do {
      let played = try await CalibrationRun.play(configuration)
      device = played.device
      before = try saved(played.device)
      guard let reading = party.clock.reading else { return fail(.clock(nil)) }
      let marks = played.marks.enumerated().filter { $0.offset % Self.sparseness == 0 }
      sink.yield(
        .played(
          marks.map {
            .init(seconds: $0.element.seconds, time: reading.groupTime(at: $0.element.time))
          }))
    } catch {
      fail(error)
    }
  }

  private func find(_ own: [PairMachine.Mark], _ other: [PairMachine.Mark]) async {
    guard let recorder, let reading = party.clock.reading else { return fail(.clock(nil)) }
    let recording: Recording
    do {
      recording = try await recorder.stop()
    } catch {
      return fail(.capture(error))
    }
    // Each takes a second of computing.
    let found = await Task.detached { () -> Result<PairedDelays.Heard, CalibrationFailure> in
      func delay(_ marks: [PairMachine.Mark]) throws(OutputDelay.Refusal) -> Duration {
        try OutputDelay(
          recording: recording,
          playback: marks.map {
            ClockMark(seconds: $0.seconds, time: reading.hostTime(at: $0.time))
          }
        ).delay
      }
      do throws(OutputDelay.Refusal) {
        let own = try delay(own)
        do throws(OutputDelay.Refusal) {
          return .success(.init(own: own, other: try delay(other)))
        } catch {
          return .failure(.otherRefused(error))
        }
      } catch {
        return .failure(.refused(error))
      }
    }.value
    switch found {
    case .success(let heard):
      sink.yield(.found(.init(heard: heard, offset: before)))
    case .failure(let failure): fail(failure)
    }
  }
}

/// Returns a sequence's first element.
///
/// - Parameter patience: the longest wait; nil for none.
/// - Returns: nil if there is none in that time.
@MainActor
private func first<Elements: AsyncSequence & Sendable>(
  of elements: Elements, within patience: Duration?
) async -> Elements.Element? where Elements.Element: Sendable {
  let search = Task { () -> Elements.Element? in
    do {
      for try await element in elements { return element }
      return nil
    } catch {
      return nil
    }
  }
  let end = patience.map { patience in
    Task {
      try? await Task.sleep(for: patience, clock: .suspending)
      search.cancel()
    }
  }
  defer { end?.cancel() }
  return await search.value
}
