/// The party's sessions, as one participant stores them: the newest of each kind of activity.
///
/// Known kinds are those in whose activities this program takes part. They stay if there are more than ``limit`` kinds, and
/// of the others those that were written last. A program that knows any kind stores one unknown kind of each author, the
/// one written last, so that a participant that invents kinds displaces nothing but its own. All participants that know
/// the same kinds converge on the same sessions, in whatever order they arrive.
struct PartySessions: Hashable, Sendable {
  /// The number of kinds of activity that are stored, including those whose session has ended.
  static let limit = Beacon.sessionLimit

  /// The newest register of each kind.
  private var registers: [UInt32: SessionRegister] = [:]
  /// The activities that this program takes part in, by the number of their kind.
  private var known: [UInt32: String] = [:]
  /// The sessions that this participant has joined.
  private(set) var joined: Set<GroupSessionID> = []

  /// All registers, oldest first.
  var all: [SessionRegister] {
    registers.values.sorted { ($0.stamp, $0.kind) < ($1.stamp, $1.kind) }
  }

  /// The sessions that aren't over, oldest first.
  var current: [SessionRegister] { all.filter { !$0.ended } }

  subscript(kind kind: UInt32) -> SessionRegister? { registers[kind] }

  /// Returns the session with an id, unless it is over.
  subscript(id: GroupSessionID) -> SessionRegister? {
    registers.values.first { $0.id == id && !$0.ended }
  }

  /// Returns whether a register replaces the stored one: as ``admits(_:kind:isVoid:)``. When an author wrote
  /// two registers with one stamp, all participants choose the same one.
  func admits(_ register: SessionRegister, isVoid: (Participant.ID) -> Bool) -> Bool {
    guard let held = registers[register.kind], held.stamp == register.stamp else {
      return admits(register.stamp, kind: register.kind, isVoid: isVoid)
    }
    return held.provenBytes.lexicographicallyPrecedes(register.provenBytes)
  }

  /// Returns whether a register with this stamp is to be stored.
  ///
  /// - Parameter isVoid: returns whether a participant's registers give way to all others.
  func admits(_ stamp: Stamp, kind: UInt32, isVoid: (Participant.ID) -> Bool) -> Bool {
    if let held = registers[kind]?.stamp {
      guard held != stamp, held < stamp || isVoid(held.participant) else { return false }
    }
    var stamps = registers.mapValues(\.stamp)
    stamps[kind] = stamp
    return Self.surplus(of: stamps, besides: known) != kind
  }

  /// Returns whether a register is of the activity that this program knows under the number of its kind. Another one
  /// only has a name with the same number.
  func isGenuine(_ register: SessionRegister) -> Bool {
    known[register.kind].map { $0 == register.activityIdentifier } ?? true
  }

  /// Notes that this program takes part in an activity. Its sessions have their place from now on.
  mutating func takePart(in activityIdentifier: String) {
    let kind = SessionRegister.kind(activityIdentifier)
    guard known[kind] == nil else { return }
    known[kind] = activityIdentifier
    if let register = registers[kind], !isGenuine(register) { remove(register) }
    _ = removeSurplus()
  }

  /// - Returns: the sessions that this ends for this participant, whether it had joined them or not.
  mutating func registerReceived(_ register: SessionRegister) -> [SessionRegister] {
    var gone: [SessionRegister] = []
    if let held = registers[register.kind], held.id != register.id || register.ended {
      joined.remove(held.id)
      gone.append(held)
    }
    registers[register.kind] = register
    return (gone + removeSurplus()).filter { !$0.ended }
  }

  private mutating func removeSurplus() -> [SessionRegister] {
    var gone: [SessionRegister] = []
    while let kind = Self.surplus(of: registers.mapValues(\.stamp), besides: known),
      let register = registers[kind]
    {
      remove(register)
      gone.append(register)
    }
    return gone
  }

  /// Returns the kind that gives way to the others; nil if all of them may stay.
  private static func surplus(
    of stamps: [UInt32: Stamp], besides known: [UInt32: String]
  ) -> UInt32? {
    guard stamps.count > limit || !known.isEmpty else { return nil }
    // An author may have signed several kinds with one stamp.
    let order = stamps.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    let unknown = order.filter { known[$0.key] == nil }
    let last = Dictionary(unknown.map { ($0.value.participant, $0.key) }) { $1 }
    let earlier = unknown.first { last[$0.value.participant] != $0.key }
    if let earlier, !known.isEmpty { return earlier.key }
    return stamps.count > limit ? (unknown.first ?? order.first)?.key : nil
  }

  /// Forgets a session, as if it had never begun.
  mutating func remove(_ register: SessionRegister) {
    registers[register.kind] = nil
    joined.remove(register.id)
  }

  mutating func join(_ id: GroupSessionID) { joined.insert(id) }

  mutating func leave(_ id: GroupSessionID) { joined.remove(id) }

  /// The sessions, for a beacon.
  var held: [Beacon.HeldSession] {
    all.map { register in
      Beacon.HeldSession(
        kind: register.kind, stamp: register.stamp,
        joined: joined.contains(register.id) ? register.id : nil)
    }
  }
}
