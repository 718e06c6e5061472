import Foundation
import Testing

/// Two participants who watch one film, and the checks that are made of them.
///
/// Distances are judged by medians of what the program reports at several moments, so that a busy machine fails
/// nothing. What must happen is waited for.
struct ZooParty {
  typealias Event = MatineeProcess.Event

  let ana: MatineeProcess
  let ben: MatineeProcess
  let invite: String
  /// What a participant opens the film with.
  let path: String
  var everybody: [MatineeProcess] { [ana, ben] }

  /// The distance that no participant may keep, in milliseconds. A busy machine causes half of it now and then.
  static let tolerance = 60.0

  /// - Parameters:
  ///   - path: a path or a URL.
  ///   - anotherPath: the second participant's own copy; nil if both open one.
  ///   - configuration: the folder with the second participant's `mpv`; nil for no configuration.
  init(_ path: String, copy anotherPath: String? = nil, configuration: URL? = nil) async throws {
    let file = Clips.folder.appendingPathComponent("invite-\(UUID().uuidString)").path
    self.path = path
    ana = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--invite-file", file, "--name", "Ana", path])
    let hosting = try await ana.next("hosting")
    _ = try await ana.next("opened")
    invite = try #require(hosting.string("invite"))
    ben = try await Self.join(
      invite, "Ben", anotherPath ?? path, configuration: configuration)
  }

  private static func join(
    _ invite: String, _ name: String, _ path: String, configuration: URL? = nil
  ) async throws -> MatineeProcess {
    let isRemote = path.contains("://")
    let guest = try MatineeProcess(
      ["join", invite, "--name", name] + (isRemote ? [] : [path]),
      environment: configuration.map { ["XDG_CONFIG_HOME": $0.path] } ?? [:],
      readsConfiguration: configuration != nil)
    _ = try await guest.next("joined")
    if isRemote { try await guest.agree() }
    _ = try await guest.next("opened")
    return guest
  }

  /// Returns whether a player that stands is where the group is.
  ///
  /// - Parameter near: the largest distance, in seconds.
  static func isWhereGroupIs(_ state: Event, within near: Double = 0.001) -> Bool {
    guard let own = state.number("playerPosition"), let group = state.number("position") else {
      return false
    }
    return abs(own - group) < near
  }

  // MARK: Playing

  static func isInStep(_ state: Event) -> Bool {
    isPlaying(state) && abs(state.number("syncErrorMs") ?? .infinity) < tolerance
  }

  private static func isPlaying(_ state: Event) -> Bool {
    state.string("status") == "playing" && state.flag("playerPaused") == false
      && (state.fields["suspensions"] as? [String]) == []
  }

  func play() async throws {
    try ana.send("play")
    for one in everybody { _ = try await one.state(where: Self.isInStep) }
  }

  /// What several readings of all participants say.
  struct Reading {
    /// The medians of the participants' distances from the group, as they report them, in milliseconds.
    var distances: [Double]
    /// The distance of the first and the last participant by their positions and the party's clock, in milliseconds.
    var apart: Double
    /// The media seconds in a second of the party's clock.
    var speeds: [Double]
    /// The part of the readings in which a participant didn't play.
    var interruptions: Double

    /// A Boolean value that indicates whether all play at this speed, as one.
    func isTogether(at rate: Double) -> Bool {
      distances.allSatisfy { $0 < ZooParty.tolerance } && apart < ZooParty.tolerance
        && interruptions < 0.2 && speeds.allSatisfy { abs($0 / rate - 1) < 0.1 }
    }
  }

  /// Reads the states of both, or of these participants, for two seconds of the party's clock.
  func read(_ participants: [MatineeProcess]? = nil, at rate: Double = 1) async throws -> Reading {
    let participants = participants ?? everybody
    var states = participants.map { _ in [Event]() }
    repeat {
      for (index, one) in participants.enumerated() {
        states[index].append(try await one.currentState())
      }
      try await Task.sleep(for: .milliseconds(50))
    } while Self.span(states[0], "groupTime") < 2
    let all = states.joined()
    let lines = states.map { states in
      Self.median(
        states.map { ($0.number("playerPosition") ?? 0) - rate * ($0.number("groupTime") ?? 0) })
    }
    return Reading(
      // Not each state has a fresh distance.
      distances: states.map { Self.median($0.compactMap { $0.number("syncErrorMs") }.map(abs)) },
      apart: (lines.max()! - lines.min()!) * 1000,
      speeds: states.map { Self.span($0, "playerPosition") / Self.span($0, "groupTime") },
      interruptions: Double(all.count { !Self.isPlaying($0) }) / Double(all.count))
  }

  private static func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }

  private static func span(_ states: [Event], _ field: String) -> Double {
    (states.last?.number(field) ?? 0) - (states.first?.number(field) ?? 0)
  }

  // MARK: Commands

  /// Sends both to a position while they stand, and waits until they are there.
  ///
  /// - Parameter isThere: whether a position is right.
  /// - Returns: where they are.
  func seek(
    to target: Double, by one: MatineeProcess, isThere: @escaping @Sendable (Double) -> Bool
  ) async throws -> [Double] {
    try one.send("seek \(target)")
    for one in everybody {
      _ = try await one.state {
        $0.flag("playerPaused") == true && $0.number("playerPosition").map(isThere) == true
      }
    }
    // They remain there. While the first picture isn't shown, the position is the target.
    let end = ContinuousClock.now + MatineeProcess.deadline
    var places = try await positions()
    while places.contains(where: { abs($0 - places[0]) > 0.001 }), .now < end {
      try await Task.sleep(for: .milliseconds(50))
      places = try await positions()
    }
    return places
  }

  /// Pauses both, and waits until they are at one position, which is the group's.
  ///
  /// - Parameter near: the largest distance, in seconds.
  /// - Returns: where they are, also if that position is never reached.
  func pause(by one: MatineeProcess, within near: Double) async throws -> [Double] {
    try one.send("pause")
    for one in everybody {
      _ = try await one.state {
        $0.string("status") == "paused" && $0.flag("playerPaused") == true
      }
    }
    let end = ContinuousClock.now + MatineeProcess.deadline
    while true {
      let states = [try await ana.currentState(), try await ben.currentState()]
      let positions = states.compactMap { $0.number("playerPosition") }
      let areThere = states.allSatisfy { Self.isWhereGroupIs($0, within: near) }
      if areThere, abs(positions[0] - positions[1]) < near {
        return positions
      }
      guard ContinuousClock.now < end else { return positions }
    }
  }

  func positions() async throws -> [Double] {
    var positions: [Double] = []
    for one in everybody {
      positions.append(try await one.currentState().number("playerPosition") ?? .infinity)
    }
    return positions
  }

  /// Lets a third participant join while the others play.
  func lateJoiner(mayBeApart: Bool) async throws -> Reading {
    let chi = try await Self.join(invite, "Chi", path)
    // Whoever can't go to where the others are is told so.
    let apart = "There is no way to seek in this film"
    let isTold: @Sendable () -> Bool = {
      chi.history(of: "warning").contains {
        $0.event.string("message")?.hasPrefix(apart) == true
      }
    }
    _ = try await chi.state { Self.isInStep($0) || mayBeApart && isTold() }
    let reading = try await read(everybody + (mayBeApart && isTold() ? [] : [chi]))
    #expect(try await chi.quit() == 0)
    return reading
  }

  func quit() async throws {
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }
}
