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
    /// The number of stored pieces that differ from what was added.
    var wrong = 0
    /// The attachments whose topics it subscribes to.
    var topics: Set<UUID> = []
    /// The number of failed reads.
    var unreadable = 0
    /// The links' speeds, in bytes per second; nil without a limit.
    var uplink: Double?
    var downlink: Double?
    var uplinkFreeAt = Duration.zero
    var downlinkFreeAt = Duration.zero
    /// The bytes that it sent and received.
    var sent = 0
    var received = 0
    /// The longest time for which a byte waited in its links' queues.
    var longestQueue = Duration.zero

    var id: Participant.ID { machine.configuration.id }
  }

  /// A planted bug, which the checks must find.
  enum Bug: CaseIterable {
    /// A piece is stored before it is verified.
    case unverifiedPiece
    /// A lost piece is never requested again.
    case neverAskedAgain
  }

  private struct Packet {
    /// A Boolean value that indicates whether it has passed the receiver's link.
    var isThrough: Bool
    var due: Duration
    var order: Int
    var from: Int
    var to: Int
    var data: Data
  }

  private(set) var now = Duration.zero
  var bug: Bug?
  var members: [Member]
  var delay = Duration.milliseconds(5)
  /// The share of lost messages, in percent.
  var loss = 0
  var duplicates = 0
  var jitter = Duration.zero
  /// Changes a message between two members; nil loses it.
  var tamper: (_ from: Int, _ message: JournalMessage) -> JournalMessage? = { $1 }
  /// The number of pieces that were sent to topics.
  private(set) var shares = 0
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
  mutating func add(_ data: Data, by index: Int, isOnDemand: Bool = false) -> UUID {
    let tree = Self.tree(of: data)
    let body = JournalBody(
      addedAt: now.inNanoseconds, size: Int64(data.count), root: tree.root, type: "data",
      fileName: nil, metadata: nil, isOnDemand: isOnDemand)
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

  /// Opens a reader, whose number is the member's index.
  mutating func open(_ id: UUID, by index: Int) {
    act(index) { $0.readerOpened(index, of: id, at: $1) }
  }

  mutating func move(_ id: UUID, by index: Int, to position: ReadingPosition) {
    act(index) { $0.readerMoved(index, of: id, to: position, at: $1) }
  }

  /// Blocks a read at a chunk.
  mutating func read(_ chunk: Int, of id: UUID, by index: Int) {
    move(id, by: index, to: ReadingPosition(head: chunk, blocked: [chunk]))
  }

  func has(_ chunk: Int, of id: UUID, _ index: Int) -> Bool {
    members[index].pieces[id]?[Piece(level: 0, index: chunk)] != nil
  }

  /// Reads chunks in order, and waits for each.
  ///
  /// - Returns: the longest wait for one of them, and whether all came within the limit.
  mutating func play(
    _ chunks: some Sequence<Int>, of id: UUID, by indices: [Int], limit: Duration = .seconds(20)
  ) -> (longest: Duration, isComplete: Bool) {
    var longest = Duration.zero
    for chunk in chunks {
      let begin = now
      for index in indices where !has(chunk, of: id, index) { read(chunk, of: id, by: index) }
      while !indices.allSatisfy({ has(chunk, of: id, $0) }) {
        guard now - begin < limit else { return (limit, false) }
        step(atMost: .milliseconds(5))
      }
      longest = max(longest, now - begin)
    }
    return (longest, true)
  }

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
    guard bug == .neverAskedAgain else { return }
    for id in members[index].machine.downloads.keys {
      for piece in members[index].machine.downloads[id]!.outstanding.keys {
        members[index].machine.downloads[id]!.outstanding[piece]!.timeout = host + .seconds(3600)
      }
    }
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
    case .send(_, .subscribers): preconditionFailure("only the shell sends to topics")
    case .serve(let id, let piece, let recipient):
      guard let bytes = members[index].pieces[id]?[piece],
        let other = members.firstIndex(where: { $0.id == recipient })
      else { return }
      send(.piece(id, piece, bytes), from: index, to: other)
    case .share(let id, let piece, let askers):
      guard let bytes = members[index].pieces[id]?[piece] else { return }
      let leaves = leave(JournalMessage.piece(id, piece, bytes).encoded().count, from: index)
      shares += 1
      for other in members.indices where other != index && members[other].topics.contains(id) {
        send(
          .shared(id, piece, bytes, askers: askers), from: index, to: other, leaving: leaves)
      }
    case .listen(let id):
      members[index].topics.insert(id)
      act(index) { machine, _ in
        machine.listening(to: id)
        return []
      }
    case .ignore(let id): members[index].topics.remove(id)
    case .begin: break
    case .write(let id, let piece, let bytes):
      members[index].written += 1
      store(bytes, as: piece, of: id, by: index)
    case .discard(let id): members[index].pieces[id] = nil
    case .changed: members[index].sets += 1
    case .progressed, .completed: break
    case .unreadable: members[index].unreadable += 1
    case .failed(let id, let why): members[index].failures[id] = why
    case .lied(let id): members[index].lied.append(id)
    }
  }

  private mutating func store(_ bytes: Data, as piece: Piece, of id: UUID, by index: Int) {
    members[index].pieces[id, default: [:]][piece] = bytes
    if contents[id]?[piece] != bytes { members[index].wrong += 1 }
  }

  /// Sends bytes over a member's uplink.
  ///
  /// - Returns: the time at which they have left.
  private mutating func leave(_ count: Int, from index: Int) -> Duration {
    members[index].sent += count
    guard let speed = members[index].uplink else { return now }
    let begin = max(now, members[index].uplinkFreeAt)
    members[index].longestQueue = max(members[index].longestQueue, begin - now)
    members[index].uplinkFreeAt = begin + .seconds(1) * (Double(count) / speed)
    return members[index].uplinkFreeAt
  }

  /// Receives bytes over a member's downlink.
  ///
  /// - Returns: the time at which they are there; nil if the link has no limit.
  private mutating func arrive(_ count: Int, at index: Int) -> Duration? {
    members[index].received += count
    guard let speed = members[index].downlink else { return nil }
    let begin = max(now, members[index].downlinkFreeAt)
    members[index].longestQueue = max(members[index].longestQueue, begin - now)
    members[index].downlinkFreeAt = begin + .seconds(1) * (Double(count) / speed)
    return members[index].downlinkFreeAt
  }

  private mutating func send(
    _ message: JournalMessage, from: Int, to: Int, leaving: Duration? = nil
  ) {
    sent.append((from, to, message))
    let leaving = leaving ?? leave(message.encoded().count, from: from)
    guard let message = tamper(from, message), Int.random(in: 0..<100, using: &random) >= loss
    else { return }
    let copies = Int.random(in: 0..<100, using: &random) < duplicates ? 2 : 1
    for _ in 0..<copies {
      let extra =
        jitter > .zero
        ? .nanoseconds(Int64.random(in: 0...jitter.inNanoseconds, using: &random)) : Duration.zero
      order += 1
      inFlight.append(
        Packet(
          isThrough: false, due: leaving + delay + extra, order: order, from: from, to: to,
          data: message.encoded()))
    }
  }

  // MARK: - Time

  /// Runs until the next event, or for a time.
  mutating func step(atMost duration: Duration) {
    run(for: min(duration, max(.zero, (nextMoment ?? now + duration) - now)))
  }

  mutating func run(for duration: Duration) {
    let end = now + duration
    var steps = 0
    while let next = nextMoment, next <= end {
      steps += 1
      precondition(steps < 500_000, "the journals talk without end")
      now = max(now, next)
      let due = inFlight.filter { $0.due <= now }.sorted { ($0.due, $0.order) < ($1.due, $1.order) }
      inFlight.removeAll { $0.due <= now }
      for var packet in due where members[packet.to].isHere && members[packet.from].isHere {
        if !packet.isThrough, let there = arrive(packet.data.count, at: packet.to), there > now {
          packet.isThrough = true
          packet.due = there
          inFlight.append(packet)
          continue
        }
        let sender = members[packet.from].id
        if bug == .unverifiedPiece,
          case .piece(let id, let piece, let bytes) = JournalMessage(decoding: packet.data),
          members[packet.to].pieces[id]?[piece] == nil
        {
          store(bytes, as: piece, of: id, by: packet.to)
        }
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
