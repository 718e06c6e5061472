import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

/// Some participants' keys, with real cryptography, and messages that come in any order or not at all.
struct KeyRoom {
  struct Member {
    let identity: ParticipantIdentity
    var rules: PartyRules
    var machine: KeyMachine
    var resumed: [HeldEvents.Event] = []
    var reopened: [SealedMessage] = []
    var id: Participant.ID { identity.id }
  }

  private enum Packet {
    case shares(KeyShares, to: Int)
    case request(KeyRequest, from: Int, to: Int, isToAll: Bool)
    case beacon(ContentKeyID, to: Int)
  }

  let party: Participant.ID
  var members: [Member] = []
  var now = HostTime(nanoseconds: 1_000_000_000_000)
  var dice: RandomSource
  /// The share of messages that are lost.
  var loss = 0.0
  private var inFlight: [Packet] = []
  private var beaconsAt = HostTime(nanoseconds: 1_000_000_000_000)
  /// All secrets on the wire.
  private(set) var said: [KeyShares] = []

  /// - Parameter count: the number of members. The first one is the host.
  init(_ count: Int, seed: UInt64 = 1) {
    dice = .seeded(seed)
    let identities = (0..<count).map { _ in ParticipantIdentity() }
    party = identities[0].id
    for identity in identities { enter(identity, rules: PartyRules(creator: party)) }
  }

  mutating func enter(_ identity: ParticipantIdentity, rules: PartyRules) {
    members.append(
      Member(
        identity: identity, rules: rules,
        machine: KeyMachine(
          me: identity.id, exchange: .fresh(party: party),
          authorship: .of(identity, party: party), rules: rules)))
  }

  /// One member's rules change. Its own change comes with a secret for the new epoch.
  mutating func change(_ index: Int, isOwn: Bool = false, _ body: (inout PartyRules) -> Void) {
    body(&members[index].rules)
    let rules = members[index].rules
    act(index) { $0.rulesChanged(rules, participants: $1, at: $2, random: &$3) }
    if isOwn, members[index].machine.sealing == nil { propose(index) }
  }

  /// Lets a member hold exactly these rules.
  mutating func adopt(_ rules: PartyRules, _ index: Int) { change(index) { $0 = rules } }

  mutating func propose(_ index: Int) {
    let recipients = members.filter { $0.id != members[index].id }
      .map { KeyMachine.Recipient(id: $0.id, publicKey: $0.machine.publicKey) }
    act(index) { $0.propose(to: recipients, participants: $1, at: $2, random: &$3) }
  }

  mutating func act(
    _ index: Int,
    _ body: (inout KeyMachine, Int, HostTime, inout RandomSource) -> [KeyMachine.Directive]
  ) {
    for directive in body(&members[index].machine, members.count, now, &dice) {
      switch directive {
      case .ask(let request, let isPublic):
        let others = members.indices.filter { $0 != index }
        for other in isPublic ? others : Array(others.shuffled(using: &dice).prefix(1)) {
          put(.request(request, from: index, to: other, isToAll: isPublic))
        }
      case .share(let shares, let id):
        said.append(shares)
        for other in members.indices
        where other != index && id ?? members[other].id == members[other].id {
          put(.shares(shares, to: other))
        }
      case .reopen(let messages): members[index].reopened += messages
      case .resume(let events): members[index].resumed += events
      case .propose: propose(index)
      case .sendRules: break
      }
    }
  }

  private mutating func put(_ packet: Packet) {
    if Double.random(in: 0..<1, using: &dice) >= loss { inFlight.append(packet) }
  }

  /// Every member sends a message under its key, if it has one.
  private mutating func sendBeacons() {
    for index in members.indices {
      guard let key = members[index].machine.sealing else { continue }
      for other in members.indices where other != index { put(.beacon(key, to: other)) }
    }
  }

  /// Delivers everything that is on its way, in any order, for a time.
  mutating func run(for duration: Duration) {
    let end = now + duration
    while now < end {
      if now >= beaconsAt {
        sendBeacons()
        beaconsAt = now + .seconds(1)
      }
      while !inFlight.isEmpty {
        let packet = inFlight.remove(at: Int.random(in: inFlight.indices, using: &dice))
        switch packet {
        case .shares(let shares, let to):
          act(to) { $0.received(shares, participants: $1, at: $2, random: &$3) ?? [] }
        case .request(let request, let from, let to, let isToAll):
          let asker = members[from].id
          act(to) { machine, count, _, dice in
            machine.answers(request, isToAll: isToAll, participants: count, random: &dice)
              ? machine.answer(to: request, from: asker) : []
          }
        case .beacon(let key, let to):
          guard !members[to].machine.holds(key) else { continue }
          let message = SealedMessage(key: key, subject: "beacon", payload: [0], receivedAt: now)
          act(to) { $0.received(message, participants: $1, at: $2, random: &$3) }
        }
      }
      let next = members.compactMap(\.machine.nextDeadline).min() ?? end
      now = max(now, min(next, beaconsAt, end))
      for index in members.indices {
        guard let due = members[index].machine.nextDeadline, due <= now else { continue }
        act(index) { $0.timerFired(mayPropose: true, participants: $1, at: $2, random: &$3) }
        precondition(
          members[index].machine.nextDeadline.map { $0 > now } ?? true, "a deadline comes again")
      }
    }
  }

  func sealing(_ indices: some Sequence<Int>) -> Set<ContentKeyID?> {
    Set(indices.map { members[$0].machine.sealing })
  }
}

@Suite("Keys of epochs")
struct KeyMachineTests {
  @Test(
    "Two removals at once, heard in any order with losses, lead to one key",
    arguments: UInt64(1)...40)
  func concurrent(seed: UInt64) {
    var room = KeyRoom(7, seed: seed)
    room.loss = Double(seed % 4) / 5
    let (five, six) = (room.members[5].id, room.members[6].id)
    let coHost = room.members[1].id
    for index in room.members.indices { room.change(index) { $0.coHosts = [coHost] } }
    room.change(0, isOwn: true) { $0.removed.insert(five) }
    room.change(1, isOwn: true) { $0.removed.insert(six) }
    var news = (0..<5).flatMap { [($0, five), ($0, six)] }
    news.shuffle(using: &room.dice)
    for (index, id) in news {
      // The participants that were removed don't follow the rules, and receive everything.
      room.change(index) { $0.removed.insert(id) }
      room.run(for: .milliseconds(Int64.random(in: 0...200, using: &room.dice)))
    }
    room.run(for: .seconds(60))
    let keys = room.sealing(0..<5)
    #expect(keys.count == 1 && keys != [nil] && keys != [.invite], "seed \(seed): \(keys)")
    for index in 5...6 {
      for secret in room.members[index].machine.openable {
        #expect(secret.id != keys.first, "seed \(seed): a removed participant holds the key")
      }
    }
  }

  @Test("A newcomer gets the key of the epoch, and no earlier one")
  func newcomer() throws {
    var room = KeyRoom(4)
    let (two, three) = (room.members[2].id, room.members[3].id)
    room.change(0, isOwn: true) { $0.removed = [three] }
    let before = try #require(room.members[0].machine.sealing)
    room.change(0, isOwn: true) { $0.removed = [two, three] }
    room.run(for: .seconds(1))
    let rules = room.members[0].rules
    room.enter(ParticipantIdentity(), rules: rules)
    room.adopt(rules, 1)
    room.adopt(rules, 4)
    room.run(for: .seconds(2))
    #expect(room.sealing([0, 1, 4]).count == 1)
    #expect(room.members[4].machine.sealing != nil)
    #expect(!room.members[4].machine.holds(before))
  }

  @Test("If the remover vanishes with its secret, the others agree on another one")
  func vanished() {
    var room = KeyRoom(6)
    let five = room.members[5].id
    room.loss = 1
    room.change(0, isOwn: true) { $0.removed = [five] }
    let lost = room.members.removeFirst()
    room.loss = 0.2
    for index in 0..<4 { room.change(index) { $0.removed = [five] } }
    room.run(for: .seconds(20))
    let keys = room.sealing(0..<4)
    #expect(keys.count == 1 && keys != [nil] && keys != [lost.machine.sealing])
  }

  @Test("The order of removals doesn't matter, and each opening is a new epoch")
  func epochs() {
    let ids = (0..<4).map { Participant.ID(high: 1, low: UInt64($0)) }
    var rules = PartyRules(creator: ids[0])
    #expect(KeyEpoch(of: rules) == .invite)
    rules.removed = [ids[1], ids[2]]
    let epoch = KeyEpoch(of: rules)
    rules.removed = [ids[2], ids[1]]
    #expect(KeyEpoch(of: rules) == epoch && epoch != .invite)
    rules.coHosts = [ids[3]]
    #expect(KeyEpoch(of: rules) == epoch, "roles exclude nobody")
    rules.admitted = [ids[0]]
    #expect(KeyEpoch(of: rules) != epoch)
    rules.admitted = [ids[0], ids[3]]
    let wider = KeyEpoch(of: rules)
    #expect(wider != epoch)
    rules.admitted = nil
    #expect(KeyEpoch(of: rules, round: [0, 0, 2]) != epoch, "closed and opened since")
    rules.removed = []
    #expect(KeyEpoch(of: rules, round: [0, 0, 2]) == .invite)
    // The two lists can't be taken for each other.
    var one = PartyRules(creator: ids[0])
    one.removed = [ids[1]]
    one.admitted = [ids[2]]
    var two = PartyRules(creator: ids[0])
    two.removed = [ids[1], ids[2]]
    #expect(KeyEpoch(of: one) != KeyEpoch(of: two))
  }

  @Test("A secret that was sealed for one participant, epoch and party opens nowhere else")
  func binding() throws {
    let (party, other) = (Participant.ID(high: 1, low: 1), Participant.ID(high: 2, low: 2))
    let (ana, ben) = (KeyExchange.fresh(party: party), KeyExchange.fresh(party: party))
    let secret = [UInt8](repeating: 9, count: 32)
    let sealed = try #require(ana.seal(secret, ben.publicKey, [1]))
    #expect(sealed.count == KeyShares.Share.byteCount)
    #expect(ben.open(sealed, [1]) == secret)
    #expect(ben.open(sealed, [2]) == nil)
    #expect(ana.open(sealed, [1]) == nil)
    #expect(KeyExchange.fresh(party: other).open(sealed, [1]) == nil)
    for index in stride(from: 0, to: sealed.count, by: 7) {
      var changed = sealed
      changed[index] ^= 1
      #expect(ben.open(changed, [1]) == nil)
    }
    #expect(ana.seal(secret, [1, 2, 3], [1]) == nil)
    #expect(
      ana.seal(secret, [UInt8](repeating: 0, count: 32), [1]) == nil, "a point of small order")
    let shares = KeyShares(
      epoch: KeyEpoch(rawValue: 1), author: party,
      proof: Proof(publicKey: Data(count: 32), signature: Data(count: 64)),
      shares: (0..<KeyShares.limit).map { _ in .init(recipient: party, sealed: sealed) })
    #expect(WireMessage.keyShares(shares).encoded().count < Originals.sizeLimit)
  }

  @Test("An event that lacks a key is sent as soon as there is one, and a message is read then")
  func waiting() throws {
    var room = KeyRoom(3)
    let two = room.members[2].id
    room.loss = 1
    room.change(0, isOwn: true) { $0.removed = [two] }
    let key = try #require(room.members[0].machine.sealing)
    let message = SealedMessage(key: key, subject: "x", payload: [1], receivedAt: room.now)
    room.act(1) { $0.received(message, participants: $1, at: $2, random: &$3) }
    #expect(room.members[1].reopened.isEmpty)
    room.change(1) { $0.removed = [two] }
    #expect(room.members[1].machine.sealing == nil)
    room.members[1].machine.hold(.chat(ChatText(text: "hello")), sequence: 4)
    room.loss = 0
    room.run(for: .seconds(1))
    #expect(room.members[1].machine.sealing == key)
    #expect(room.members[1].reopened.contains(message))
    #expect(
      room.members[1].resumed == [
        HeldEvents.Event(message: .chat(ChatText(text: "hello")), sequence: 4)
      ])
    #expect(room.members[1].machine.waitingCount == 0)
  }

  @Test("A secret is forgotten ten minutes after its epoch")
  func forgotten() throws {
    var room = KeyRoom(4)
    let (two, three) = (room.members[2].id, room.members[3].id)
    for index in 0...1 { room.change(index, isOwn: index == 0) { $0.removed = [three] } }
    let first = try #require(room.members[0].machine.sealing)
    room.run(for: .seconds(2))
    for index in 0...1 { room.change(index, isOwn: index == 0) { $0.removed = [two, three] } }
    room.run(for: .seconds(590))
    #expect(room.members[1].machine.holds(first), "messages on their way still open")
    room.run(for: .seconds(20))
    #expect(!room.members[0].machine.holds(first) && !room.members[1].machine.holds(first))
    #expect(room.members[0].machine.openable.count == 1)
  }
}

@Suite("Keys of epochs, and hostile messages")
struct HostileKeyTests {
  /// Ana hosts; Ben and Mallory are guests; Chi was removed.
  private func room() -> KeyRoom {
    var room = KeyRoom(4)
    let chi = room.members[3].id
    for index in 0..<3 { room.change(index, isOwn: index == 0) { $0.removed = [chi] } }
    room.run(for: .seconds(2))
    return room
  }

  /// Seals a secret of any author for Ben.
  private func shares(
    in room: KeyRoom, epoch: KeyEpoch? = nil, bytes: [UInt8] = [UInt8](repeating: 5, count: 32),
    by author: Int, signer: Int? = nil
  ) throws -> KeyShares {
    let epoch = epoch ?? room.members[1].machine.epoch
    let ben = room.members[1]
    let context = epoch.rawValue.bigEndianBytes + ben.id.bytes
    let sealed = try #require(
      room.members[author].machine.exchange.seal(bytes, ben.machine.publicKey, context))
    let secret = try #require(EpochSecret(epoch: epoch, bytes: bytes))
    let signer = room.members[signer ?? author].identity
    return KeyShares(
      epoch: epoch, author: room.members[author].id,
      proof: Authorship.of(signer, party: room.party).sign(secret.provenBytes),
      shares: [.init(recipient: ben.id, sealed: sealed)])
  }

  private func hear(_ shares: KeyShares, _ room: inout KeyRoom) -> [KeyMachine.Directive]? {
    room.members[1].machine.received(shares, participants: 4, at: room.now, random: &room.dice)
  }

  @Test("Garbage, forged authors and empty epochs are refused; a repeated secret has no effect")
  func garbage() throws {
    var room = room()
    let before = room.members[1].machine
    var changed = try shares(in: room, by: 2)
    changed.shares[0].sealed[40] ^= 1
    #expect(hear(changed, &room) == nil)
    changed.shares[0].sealed = []
    #expect(hear(changed, &room) == nil)
    #expect(try hear(shares(in: room, by: 0, signer: 2), &room) == nil, "not the host's signature")
    var invite = try shares(in: room, by: 2)
    invite.epoch = .invite
    #expect(hear(invite, &room) == nil)
    #expect(room.members[1].machine.openable == before.openable)
    let repeated = try #require(
      room.said.last { $0.shares.contains { $0.recipient == room.members[1].id } })
    #expect(hear(repeated, &room) == [])
    #expect(room.members[1].machine.openable == before.openable)
  }

  @Test("A guest's secret opens messages, but the host's stays in use")
  func precedence() throws {
    var room = room()
    let key = room.members[1].machine.sealing
    for byte in UInt8(1)...20 {
      let guess = try shares(in: room, bytes: [UInt8](repeating: byte, count: 32), by: 2)
      #expect(hear(guess, &room) == [])
      #expect(room.members[1].machine.sealing == key)
    }
    let machine = room.members[1].machine
    #expect(machine.openable.count == 1 + EpochSecrets.authorLimit)
  }

  @Test("A removed participant gets no answer, and a secret that it drew isn't used")
  func removed() throws {
    var room = room()
    let chi = room.members[3]
    let request = KeyRequest(publicKey: chi.machine.publicKey, epoch: .invite)
    for index in 0..<3 {
      #expect(room.members[index].machine.answer(to: request, from: chi.id).isEmpty)
    }
    #expect(try hear(shares(in: room, by: 3), &room) == [])
    #expect(room.members[1].machine.openable.count == 1)
    // A secret that it spreads before the others know of the removal.
    var early = KeyRoom(4)
    let (mallory, ben) = (early.members[3].id, early.members[1].id)
    var rules = early.members[1].rules
    rules.removed = [mallory]
    let epoch = KeyEpoch(of: rules)
    #expect(try hear(shares(in: early, epoch: epoch, by: 3), &early) == [])
    early.adopt(rules, 1)
    #expect(early.members[1].machine.sealing == nil, "\(ben) uses the removed participant's secret")
  }

  @Test("A flood of secrets of unknown epochs and of unknown keys is bounded")
  func flood() throws {
    var room = room()
    let key = room.members[1].machine.sealing
    for number in UInt64(1)...200 {
      let early = try shares(
        in: room, epoch: KeyEpoch(rawValue: number),
        bytes: [UInt8](repeating: UInt8(number), count: 32), by: 2)
      #expect(hear(early, &room) == [])
      let message = SealedMessage(
        key: ContentKeyID(rawValue: 1000 + UInt32(number)), subject: "x",
        payload: [UInt8](repeating: 0, count: 9000), receivedAt: room.now)
      room.act(1) { $0.received(message, participants: $1, at: $2, random: &$3) }
    }
    let machine = room.members[1].machine
    #expect(machine.sealing == key)
    #expect(machine.openable.count <= EpochSecrets.limit)
    #expect(machine.waitingCount <= UnopenedMessages.sizeLimit / 9000)
    room.run(for: .seconds(12))
    #expect(room.members[1].machine.waitingCount == 0)
    #expect(room.members[1].machine.unopened.discardedCount >= 200)
    room.run(for: .seconds(700))
    #expect(room.members[1].machine.openable.count == 1)
  }

  @Test("Announced secrets that never come delay a participant's own three times at most")
  func announced() {
    var room = KeyRoom(3)
    let two = room.members[2].id
    room.loss = 1
    room.change(1) { $0.removed = [two] }
    let empty = KeyShares(
      epoch: room.members[1].machine.epoch, author: room.members[0].id,
      proof: Proof(publicKey: Data(), signature: Data()), shares: [])
    for _ in 0..<60 {
      _ = hear(empty, &room)
      room.run(for: .milliseconds(500))
    }
    #expect(room.members[1].machine.sealing != nil)
  }
}

extension KeyMachine {
  /// The number of messages that wait for a key, in and out.
  fileprivate var waitingCount: Int { unopened.count + held.events.count }
}
