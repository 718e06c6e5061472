import BrokerTesting
import Foundation
import ProcessTesting
import Synchronization
import Testing

/// Four participants on three nodes who watch a film and chat, with measurements of both.
final class ClusterParty: Sendable {
  let cluster: NATSCluster
  /// The members: Ana, the host, and her guests.
  let members: [Member]
  let recorder: PlaceRecorder
  /// Plain mpv with the same film, which no network can disturb: its deviations are the machine's.
  /// Only for measurements of times.
  private let plain: ChildProcess?
  /// The number of lines that every member has sent.
  private let spoken = Mutex(0)

  struct Member: Sendable {
    let name: String
    let process: MatineeProcess

    /// The address of the node with which it is connected.
    var server: String? { process.history(of: "connected").last?.event.string("relay") }
  }

  private init(
    cluster: NATSCluster, members: [Member], recorder: PlaceRecorder, plain: ChildProcess?
  ) {
    self.cluster = cluster
    self.members = members
    self.recorder = recorder
    self.plain = plain
  }

  /// The name of plain mpv's readings.
  private static let plainName = "mpv"

  /// Opens the party and begins the film; returns when all members are in step.
  static func begin(on cluster: NATSCluster) async throws -> ClusterParty {
    let film = try Clips.film.get()
    let all = cluster.nodes.map { "nats://" + $0.address }.joined(separator: ",")
    var probes: [String: PlaceProbe] = [:]
    var sockets: [String: String] = [:]
    func start(_ name: String, _ arguments: [String]) throws -> Member {
      let socket = Clips.folder.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock").path
      sockets[name] = socket
      return Member(
        name: name,
        process: try MatineeProcess(
          arguments + [film, "--name", name, "--mpv", "input-ipc-server=\(socket)"]))
    }
    let ana = try start("Ana", ["host", "--relay", all])
    let invite = try await ana.process.next("hosting").string("invite")!
    _ = try await ana.process.next("opened")
    // Two members know one node only, and learn the others from it; one has only the invite.
    let guests = [
      try start("Ben", ["join", invite, "--relay", "nats://" + cluster.nodes[1].address]),
      try start("Chi", ["join", invite, "--relay", "nats://" + cluster.nodes[2].address]),
      try start("Dee", ["join", invite]),
    ]
    for guest in guests {
      _ = try await guest.process.next("joined")
      _ = try await guest.process.next("opened")
    }
    let members = [ana] + guests
    for member in members { _ = try await member.process.state { $0.roster.count == 4 } }
    try ana.process.send("play")
    for member in members {
      _ = try await member.process.state {
        $0.flag("playerPaused") == false && abs($0.number("syncErrorMs") ?? 1000) < 5
      }
      probes[member.name] = try PlaceProbe(path: sockets[member.name]!)
    }
    var plain: ChildProcess?
    if Measurement.isWanted {
      let path = Clips.folder.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock").path
      let mpv = try ChildProcess.start(
        [
          "mpv", "--no-config", "--vo=null", "--ao=null",
          "--input-ipc-server=\(path)", film,
        ], output: Clips.folder.appendingPathComponent("mpv.log"))
      probes[plainName] = try await MatineeProcess.find("mpv doesn't play") {
        let probe = try? PlaceProbe(path: path)
        return probe?.read() == nil ? nil : probe
      }
      plain = mpv
    }
    return ClusterParty(
      cluster: cluster, members: members, recorder: PlaceRecorder(probes), plain: plain)
  }

  func member(_ name: String) -> Member { members.first { $0.name == name }! }

  func node(of name: String) throws -> NATSNode {
    try #require(member(name).server.flatMap(cluster.node(at:)))
  }

  // MARK: What happens

  /// Lets every member send forty lines, 25 ms apart, with an outage in the middle. Returns when
  /// all members have received everything, and all nodes are back.
  func chat(during outage: () async throws -> Void) async throws {
    let lines = spoken.withLock { spoken in
      defer { spoken += 40 }
      return spoken + 1...spoken + 40
    }
    async let saying: Void = say(lines)
    // The chat is under way now.
    try await member("Ana").process.wait("the first words") {
      $0.history(of: "chat").contains { $0.event.string("text") == "Ben \(lines.lowerBound + 8)" }
    }
    try await outage()
    try await saying
    try await hearEverything(upTo: lines.upperBound)
    for node in cluster.nodes where !node.isRunning { try await node.start() }
    try await cluster.waitUntilMeshed()
  }

  /// Kills a node, and waits until all its clients have moved to others.
  func kill(_ node: NATSNode) async throws -> [Recovery] {
    try await lose(node) { await node.kill() }
  }

  /// Freezes a node until all its clients have moved to others.
  func freeze(_ node: NATSNode) async throws -> [Recovery] {
    let recoveries = try await lose(node) { node.freeze() }
    // The node sends the messages that it held back now, long after.
    node.thaw()
    return recoveries
  }

  /// The time that a participant took to notice the loss of its node, and to be connected with
  /// another.
  struct Recovery: Sendable, CustomStringConvertible {
    var noticed: Duration
    var back: Duration

    var description: String { "noticed after \(noticed), elsewhere after \(back)" }
  }

  private func lose(_ node: NATSNode, _ end: () async -> Void) async throws -> [Recovery] {
    let clients = members.filter { $0.server == node.address }
    let start = ContinuousClock.now
    await end()
    for client in clients {
      try await client.process.wait("\(client.name)'s new server") {
        !$0.history(of: "connected", since: start).isEmpty
      }
    }
    return try clients.map { try #require(recovery(of: $0.name, since: start)) }
  }

  /// Stops all nodes, and starts them again when all members have noticed.
  func stopAll() async throws {
    let start = ContinuousClock.now
    for node in cluster.nodes { await node.kill() }
    for member in members {
      try await member.process.wait("\(member.name)'s loss of its server") {
        !$0.history(of: "disconnected", since: start).isEmpty
      }
    }
    for node in cluster.nodes { try await node.start() }
  }

  private func say(_ lines: ClosedRange<Int>) async throws {
    for line in lines {
      for member in members { try member.process.send("chat \(member.name) \(line)") }
      try await Task.sleep(for: .milliseconds(25))
    }
  }

  // MARK: What became of it

  /// Waits until all members have received all messages up to this line.
  private func hearEverything(upTo last: Int) async throws {
    for member in members {
      for other in members where other.name != member.name {
        try await member.process.wait("\(other.name)'s line \(last) at \(member.name)'s") {
          $0.history(of: "chat").contains { $0.event.string("text") == "\(other.name) \(last)" }
        }
      }
    }
  }

  /// The messages that arrived at each member, compared with the messages that were sent.
  struct Tally: Sendable, CustomStringConvertible {
    var said = 0
    var lost = 0
    var doubled = 0
    var isInOrder = true

    var isPerfect: Bool { lost == 0 && doubled == 0 && isInOrder }
    var description: String {
      "\(said) lines, \(lost) lost, \(doubled) doubled, \(isInOrder ? "in order" : "out of order")"
    }
  }

  func tally() -> Tally {
    let lines = spoken.withLock { $0 }
    var tally = Tally()
    for member in members {
      let heard = member.process.history(of: "chat").compactMap { $0.event.string("text") }
      for other in members where other.name != member.name {
        let numbers = heard.filter { $0.hasPrefix(other.name + " ") }
          .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        tally.said += lines
        tally.lost += lines - Set(numbers).count
        tally.doubled += numbers.count - Set(numbers).count
        if numbers != numbers.sorted() { tally.isInOrder = false }
      }
    }
    return tally
  }

  private func recovery(
    of name: String, since start: ContinuousClock.Instant
  ) -> Recovery? {
    let process = member(name).process
    guard let noticed = process.history(of: "disconnected", since: start).first?.at,
      let back = process.history(of: "connected", since: noticed).first?.at
    else { return nil }
    return Recovery(noticed: noticed - start, back: back - start)
  }

  /// The largest distances of the players from the line on which all began, in milliseconds.
  struct Excursions: Sendable {
    /// The largest distance of each participant, by name.
    var worst: [String: Double]
    /// Plain mpv's distance from its own line, if it was measured.
    var plain: Double?
    /// The number of readings of the player that has the fewest.
    var readings: Int
  }

  func excursions() -> Excursions {
    var all = recorder.stop()
    let plain = all.removeValue(forKey: Self.plainName).map {
      distances(of: $0, from: line(of: $0.prefix(20)))
    }
    let common = line(of: all.values.flatMap { $0.prefix(20) })
    let found = all.mapValues { distances(of: $0, from: common) }
    return Excursions(
      worst: found.mapValues { $0.max() ?? .infinity }, plain: plain?.max(),
      readings: found.values.map(\.count).min() ?? 0)
  }

  private func line(of readings: some Sequence<PlaceProbe.Reading>) -> Double {
    let offsets = readings.map(\.offset).sorted()
    return offsets[offsets.count / 2]
  }

  private func distances(of readings: [PlaceProbe.Reading], from line: Double) -> [Double] {
    readings.filter(\.isUseful).map { abs($0.offset - line) * 1e3 }
  }

  func end() async throws {
    for member in members { #expect(try await member.process.quit() == 0) }
    plain?.terminate()
    plain?.wait()
  }
}

extension MatineeProcess {
  /// Checks the events until the condition holds.
  func wait(
    _ what: String, within limit: Duration = MatineeProcess.deadline,
    _ isSo: (MatineeProcess) -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + limit
    while !isSo(self) {
      guard ContinuousClock.now < deadline else {
        throw Missing(description: "never came: \(what)")
      }
      // An answer is an event; no result depends on the time that it takes.
      _ = try await currentState()
    }
  }
}
