import Timekeeping

@testable import GroupActivities

/// Ana's party, with Mallory admitted: values, so that every input begins with the same evening.
struct FuzzTable {
  var ana: PartyMachine
  private var mallory: PartyMachine
  private var now = HostTime(nanoseconds: 1_000_000_000_000)

  static func id(_ index: Int) -> Participant.ID {
    Participant.ID(high: 7, low: UInt64(index + 1))
  }

  /// The table after both participants know each other.
  static let settled: FuzzTable = {
    var table = FuzzTable()
    table.gather()
    return table
  }()

  private init() {
    (ana, mallory) = (Self.machine(0, "Ana"), Self.machine(1, "Mallory"))
  }

  private static func machine(_ index: Int, _ name: String) -> PartyMachine {
    PartyMachine(
      .init(
        id: id(index), epoch: UInt64(index + 1), party: id(0), name: name,
        random: .seeded(UInt64(index + 1))))
  }

  var nextEvent: UInt64 { ana.roster[Self.id(1)]?.streams.inbound?.next ?? 1 }

  private mutating func gather() {
    deliver(from: 0, ana.connected(at: now))
    deliver(from: 1, mallory.connected(at: now))
    for _ in 0..<50 {
      now = now + .milliseconds(100)
      deliver(from: 0, ana.timerFired(at: now))
      deliver(from: 1, mallory.timerFired(at: now))
    }
  }

  private mutating func deliver(from index: Int, _ actions: [PartyAction]) {
    for case .send(let message, let sequence, let recipient) in actions {
      if case .only(let id) = recipient, id == Self.id(index) { continue }
      let inbound = InboundMessage(
        sender: Self.id(index), epoch: UInt64(index + 1), sequence: sequence, message: message,
        receivedAt: now)
      if index == 0 {
        deliver(from: 1, mallory.received(inbound, at: now))
      } else {
        deliver(from: 0, ana.received(inbound, at: now))
      }
    }
  }

  /// Sends a message from Mallory to Ana; Ana's answer is lost.
  mutating func say(_ message: WireMessage, sequence: UInt64) {
    now = now + .milliseconds(20)
    let inbound = InboundMessage(
      sender: Self.id(1), epoch: 2, sequence: sequence, message: message, receivedAt: now)
    for case .report(let event) in ana.received(inbound, at: now) { reports.append(event) }
    _ = ana.timerFired(at: now)
  }

  /// Lets Mallory pause until her allowance is full, and say something; returns whether Ana hears it. If she doesn't, the
  /// messages before had no effect either.
  mutating func isHeard() -> Bool {
    now = now + .seconds(3)
    say(.chat(ChatText(text: "still here")), sequence: nextEvent)
    return reports.contains { if case .chat(_, "still here") = $0 { true } else { false } }
  }

  private var reports: [PartyMachineEvent] = []

  /// Checks Ana after any input: she has the same identity, keeps little, and shows only text that
  /// may be shown.
  func check() throws(Broken) {
    try hold(ana.name == "Ana" && ana.rules.host == Self.id(0), "Ana isn't who she was")
    try hold(ana.roster.count <= 1 + PartyMachine.memberListLimit, "\(ana.roster.count) peers")
    try hold(
      ana.asked.probes.pending.count <= SentProbes.limit, "\(ana.asked.probes.pending.count) probes"
    )
    let reading = ana.clockReading(at: now)
    try hold(reading?.isReference == true && reading?.offset == .zero, "Ana's clock was moved")
    let texts = reports.compactMap { if case .chat(_, let text) = $0 { text } else { nil } }
    for text in texts + ana.others.map(\.name) {
      try hold(PartyText.clean(text, limit: PartyText.chatLimit) == text, "unclean: \(text)")
    }
  }
}
