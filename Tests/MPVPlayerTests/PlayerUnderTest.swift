import Concurrency
import PlaybackCoordination
import Synchronization
import Testing
import Timekeeping

@testable import MPVPlayer

/// A player without picture and sound, and all its events so far.
final class PlayerUnderTest: Sendable {
  let player: MPVPlayer
  private let log = EventLog()
  private let reader: Task<Void, Never>

  init(_ options: [MPVConfiguration.Option] = []) throws {
    player = try MPVPlayer(
      configuration: MPVConfiguration(
        video: .none, noConfig: true,
        options: [MPVConfiguration.Option(name: "ao", value: "null")] + options))
    reader = Task { [player, log] in
      for await event in player.events { await log.add(event) }
      await log.close()
    }
  }

  /// Creates a loaded player, paused at its first frame, with its own path as the current item.
  convenience init(
    _ location: String, at start: MediaTime = .zero, options: [MPVConfiguration.Option] = []
  ) async throws {
    try self.init(options)
    await player.setCurrentItemIdentifier(location)
    try await player.load(location, startingAt: start)
  }

  /// Runs `body`, and shuts the player down afterwards in any case.
  static func with(
    _ location: String, at start: MediaTime = .zero, options: [MPVConfiguration.Option] = [],
    _ body: (PlayerUnderTest) async throws -> Void
  ) async throws {
    try await PlayerUnderTest(location, at: start, options: options).run(body)
  }

  /// Runs `body`, and shuts the player down afterwards in any case.
  func run(_ body: (PlayerUnderTest) async throws -> Void) async throws {
    do {
      try await body(self)
    } catch {
      await shutDown()
      throw error
    }
    await shutDown()
  }

  func shutDown() async {
    await player.shutDown()
    await reader.value
  }

  /// Returns the first event, old or new, that `match` accepts; nil after `seconds`.
  func event<R: Sendable>(
    within seconds: Int = 60, _ match: @escaping @Sendable (PlayerEvent) -> R?
  ) async -> R? {
    await log.first(within: .seconds(seconds), match)
  }

  func events() async -> [PlayerEvent] { await log.events }
  func forgetEvents() async { await log.forget() }

  /// Asks the core for a value and waits, so that all earlier changes have been reported.
  func settleDown() async { _ = await player.position() }

  /// Waits until a change is no longer taken for a script's answer to the player's last own action.
  func afterAnswers() async {
    while await player.attribution.isAnswer(at: .now()) { await sleep(.milliseconds(5)) }
  }

  func play(
    from itemTime: MediaTime, at hostTime: HostTime, rate: Double = 1
  ) async -> CommandResult {
    await player.play(
      PlayCommand(
        originator: nil, expectedCurrentItemIdentifier: await player.film.identifier ?? "",
        rate: rate, itemTime: itemTime, hostTime: hostTime))
  }

  func pause() async -> CommandResult {
    await player.pause(
      PauseCommand(
        originator: nil, expectedCurrentItemIdentifier: await player.film.identifier ?? ""))
  }

  func seek(to itemTime: MediaTime, buffering: Bool = false) async -> CommandResult {
    await player.seek(
      SeekCommand(
        originator: nil, expectedCurrentItemIdentifier: await player.film.identifier ?? "",
        itemTime: itemTime, shouldBufferInAnticipationOfPlayback: buffering,
        anticipatedPlaybackRate: buffering ? 1 : 0))
  }

  /// Waits until `condition` holds for the player's snapshot; false after `seconds`.
  func snapshot(
    within seconds: Int = 60, _ condition: (PlayerSnapshot) -> Bool
  ) async -> Bool {
    let deadline = HostTime.now() + .seconds(seconds)
    while HostTime.now() < deadline {
      if condition(await player.snapshot()) { return true }
      _ = await player.sleep(until: .now() + .milliseconds(5), serial: player.transportSerial)
    }
    return false
  }
}

/// Keeps events, and wakes the tasks that wait for one.
private actor EventLog {
  private(set) var events: [PlayerEvent] = []
  private var isClosed = false
  private var waiting: [(PlayerEvent) -> Bool] = []

  func add(_ event: PlayerEvent) {
    events.append(event)
    waiting.removeAll { $0(event) }
  }

  func close() { isClosed = true }
  func forget() { events = [] }

  func first<R: Sendable>(
    within limit: Duration, _ match: @escaping @Sendable (PlayerEvent) -> R?
  ) async -> R? {
    if let found = events.lazy.compactMap(match).first { return found }
    let oneShot = OneShot<R?>()
    waiting.append { event in
      guard let found = match(event) else { return false }
      oneShot.fulfil(found)
      return true
    }
    let deadline = Task {
      try await Task.sleep(for: limit)
      oneShot.fulfil(nil)
    }
    defer { deadline.cancel() }
    return await oneShot.value() ?? nil
  }
}

extension MediaTime: ExpressibleByFloatLiteral {
  public init(floatLiteral seconds: Double) { self.init(seconds: seconds) }
}
