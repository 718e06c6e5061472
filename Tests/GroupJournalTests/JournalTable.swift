import Foundation
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal

/// A few journals around one table, on virtual time: a seed decides which messages are lost, late,
/// or doubled.
struct JournalTable {
  struct Member {
    var machine: JournalMachine
    /// The pieces on its disk.
    var pieces: [UUID: [Piece: Data]] = [:]
    var isHere = true
    var slot = 0
    var failures: [UUID: JournalFailure] = [:]
    var lied: [Participant.ID] = []
    var sets = 0
    /// The number of verified pieces that came, needed or not.
    var written = 0

    var id: Participant.ID { machine.configuration.id }
  }

  private struct Packet {
    var due: Duration
    var order: Int
    var from: Int
    var to: Int
    var data: Data
  }

  private(set) var now = Duration.zero
  var members: [Member]
  var delay = Duration.milliseconds(5)
  /// The share of lost messages, in percent.
  var loss = 0
  var duplicates = 0
  var jitter = Duration.zero
  /// Changes a message between two members; nil loses it.
  var tamper: (_ from: Int, _ message: JournalMessage) -> JournalMessage? = { $1 }
  private(set) var sent: [(from: Int, to: Int, message: JournalMessage)] = []
  private var inFlight: [Packet] = []
  private var order = 0
  var random: RandomSource
  /// The pieces of every attachment that was ever added.
  private(set) var contents: [UUID: [Piece: Data]] = [:]

  init(_ count: Int, seed: UInt64 = 1, timing: JournalTiming = JournalTiming()) {
    random = .seeded(seed)
    members = (0..<count).map { index in
      Member(
        machine: JournalMachine(
          .init(
            id: Self.id(index), timing: timing,
            random: .seeded(seed &* 1000 &+ UInt64(index))), at: HostTime(nanoseconds: 0)))
    }
  }

  static func id(_ index: Int) -> Participant.ID { Participant.ID(high: 3, low: UInt64(index + 1)) }

  var host: HostTime { HostTime(nanoseconds: 0) + now }

  // MARK: - What they do

  mutating func gather() { tellWhoIsHere() }

  mutating func setHere(_ index: Int, _ isHere: Bool) {
    members[index].isHere = isHere
    tellWhoIsHere()
    act(index) { machine, now in
      if isHere { return machine.connected(at: now) }
      machine.disconnected()
      return []
    }
  }

  private mutating func tellWhoIsHere() {
    let here = members.filter(\.isHere).map(\.id)
    for index in members.indices where members[index].isHere {
      act(index) { $0.membersChanged(here, at: $1) }
    }
  }

  /// - Returns: the attachment's id.
  @discardableResult
  mutating func add(_ data: Data, by index: Int) -> UUID {
    let tree = Self.tree(of: data)
    let body = JournalBody(
      addedAt: now.inNanoseconds, size: Int64(data.count), root: tree.root, type: "data",
      fileName: nil, metadata: nil)
    var id: UUID?
    let slot = members[index].slot
    members[index].slot += 1
    act(index) { machine, now in
      let added = machine.add(body, slot: slot, at: now)!
      id = added.id
      return added.actions
    }
    contents[id!] = tree.pieces
    members[index].pieces[id!] = tree.pieces
    return id!
  }

  mutating func remove(_ id: UUID, by index: Int) { act(index) { $0.remove(id, at: $1) } }
  mutating func demand(_ id: UUID, by index: Int) { act(index) { $0.demand(id, at: $1) } }

  /// Delivers a message at once.
  mutating func hand(_ message: JournalMessage, from sender: Participant.ID, to index: Int) {
    act(index) { $0.received(message.encoded(), from: sender, at: $1) }
  }

  /// Adds a member to the session that this table doesn't run.
  mutating func seat(_ stranger: Participant.ID) {
    let here = members.filter(\.isHere).map(\.id) + [stranger]
    for index in members.indices { act(index) { $0.membersChanged(here, at: $1) } }
  }

  mutating func act(_ index: Int, _ body: (inout JournalMachine, HostTime) -> [JournalAction]) {
    for action in body(&members[index].machine, host) { perform(action, by: index) }
  }

  private mutating func perform(_ action: JournalAction, by index: Int) {
    switch action {
    case .send(let message, .everyone):
      for other in members.indices where other != index { send(message, from: index, to: other) }
    case .send(let message, .only(let id)):
      if let other = members.firstIndex(where: { $0.id == id }) {
        send(message, from: index, to: other)
      } else {
        sent.append((index, -1, message))
      }
    case .serve(let id, let piece, let recipient):
      guard let bytes = members[index].pieces[id]?[piece],
        let other = members.firstIndex(where: { $0.id == recipient })
      else { return }
      send(.piece(id, piece, bytes), from: index, to: other)
    case .begin: break
    case .write(let id, let piece, let bytes):
      members[index].written += 1
      members[index].pieces[id, default: [:]][piece] = bytes
    case .discard(let id): members[index].pieces[id] = nil
    case .changed: members[index].sets += 1
    case .progressed, .completed, .unreadable: break
    case .failed(let id, let why): members[index].failures[id] = why
    case .lied(let id): members[index].lied.append(id)
    }
  }

  private mutating func send(_ message: JournalMessage, from: Int, to: Int) {
    sent.append((from, to, message))
    guard let message = tamper(from, message), Int.random(in: 0..<100, using: &random) >= loss
    else { return }
    let copies = Int.random(in: 0..<100, using: &random) < duplicates ? 2 : 1
    for _ in 0..<copies {
      let extra =
        jitter > .zero
        ? .nanoseconds(Int64.random(in: 0...jitter.inNanoseconds, using: &random)) : Duration.zero
      order += 1
      inFlight.append(
        Packet(due: now + delay + extra, order: order, from: from, to: to, data: message.encoded()))
    }
  }

  // MARK: - Time

  mutating func run(for duration: Duration) {
    let end = now + duration
    var steps = 0
    while let next = nextMoment, next <= end {
      steps += 1
      precondition(steps < 500_000, "the journals talk without end")
      now = max(now, next)
      let due = inFlight.filter { $0.due <= now }.sorted { ($0.due, $0.order) < ($1.due, $1.order) }
      inFlight.removeAll { $0.due <= now }
      for packet in due where members[packet.to].isHere && members[packet.from].isHere {
        let sender = members[packet.from].id
        act(packet.to) { $0.received(packet.data, from: sender, at: $1) }
      }
      for index in members.indices where members[index].isHere {
        guard let deadline = members[index].machine.nextDeadline, deadline <= host else { continue }
        act(index) { $0.timerFired(at: $1) }
        if let next = members[index].machine.nextDeadline {
          precondition(next > host, "a deadline that passed comes again")
        }
      }
    }
    now = end
  }

  private var nextMoment: Duration? {
    let deadlines = members.compactMap { member in
      member.isHere ? member.machine.nextDeadline.map { now + ($0 - host) } : nil
    }
    return (deadlines + inFlight.map(\.due)).min()
  }

  // MARK: - What can be seen

  func entries(_ index: Int) -> [UUID] { members[index].machine.book.entries.map(\.id) }
  func holds(_ index: Int, _ id: UUID) -> Bool { members[index].machine.held.contains(id) }

  /// Returns a Boolean value that indicates whether the member's copy has, byte for byte, the added
  /// content.
  func isTrue(_ index: Int, _ id: UUID) -> Bool { members[index].pieces[id] == contents[id] }

  static func data(_ count: Int, seed: UInt64 = 1) -> Data {
    var random = RandomSource.seeded(seed)
    // Megabytes, in a build that isn't optimized: words, not bytes.
    let words = (0..<(count + 7) / 8).map { _ in random.next() as UInt64 }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
  }

  static func tree(of data: Data) -> (root: Data, pieces: [Piece: Data]) {
    let layout = AttachmentLayout(size: Int64(data.count))!
    var pieces: [Piece: Data] = [:]
    for index in 0..<layout.chunkCount {
      let piece = Piece(level: 0, index: index)
      let start = data.startIndex + Int(layout.offset(of: piece))
      pieces[piece] = Data(data[start..<start + layout.length(of: piece)])
    }
    for level in layout.counts.indices.dropFirst() {
      for index in 0..<layout.counts[level] {
        let children =
          index
          * AttachmentLayout.fanOut..<min(
            (index + 1) * AttachmentLayout.fanOut, layout.counts[level - 1])
        pieces[Piece(level: level, index: index)] = children.reduce(into: Data()) {
          $0 += AttachmentLayout.hash(
            pieces[Piece(level: level - 1, index: $1)]!, level: level - 1)
        }
      }
    }
    return (AttachmentLayout.hash(pieces[layout.top]!, level: layout.top.level), pieces)
  }
}
