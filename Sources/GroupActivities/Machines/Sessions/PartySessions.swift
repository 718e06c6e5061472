/// The party's sessions, as one participant stores them: the newest of each kind of activity, and of those
/// the ``limit`` that were written last. All participants therefore converge on the same sessions, in
/// whatever order they arrive.
struct PartySessions: Hashable, Sendable {
  /// The number of kinds of activity that are stored, including those whose session has ended.
  static let limit = Beacon.sessionLimit

  /// The newest register of each kind.
  private var registers: [UInt32: SessionRegister] = [:]
  /// The sessions that this participant has joined.
  private(set) var joined: Set<GroupSessionID> = []

  /// All registers, oldest first.
  var all: [SessionRegister] { registers.values.sorted { $0.stamp < $1.stamp } }

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
      return held != stamp && (held < stamp || isVoid(held.participant))
    }
    guard registers.count >= Self.limit, let oldest = all.first else { return true }
    return oldest.stamp < stamp
  }

  /// - Returns: the sessions that this ends for this participant, whether it had joined them or not.
  mutating func registerReceived(_ register: SessionRegister) -> [SessionRegister] {
    var gone: [SessionRegister] = []
    if let held = registers[register.kind], held.id != register.id || register.ended {
      gone.append(held)
    }
    registers[register.kind] = register
    if registers.count > Self.limit, let oldest = all.first {
      registers[oldest.kind] = nil
      gone.append(oldest)
    }
    for register in gone { joined.remove(register.id) }
    return gone.filter { !$0.ended }
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
