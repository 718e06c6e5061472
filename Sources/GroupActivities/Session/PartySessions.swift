/// The party's sessions, as one of its members holds them: of each kind of activity the newest, and of those the
/// ``limit`` that were written last, so that everybody ends with the same ones in whatever order they come.
struct PartySessions: Hashable, Sendable {
  /// Kinds of activity that are kept, those included whose session was ended.
  static let limit = 4

  /// By kind.
  private var registers: [UInt32: SessionRegister] = [:]
  /// Those that this participant takes part in.
  private(set) var joined: Set<GroupSessionID> = []

  /// The oldest first.
  var all: [SessionRegister] { registers.values.sorted { $0.stamp < $1.stamp } }

  /// Those that aren't over, the oldest first.
  var current: [SessionRegister] { all.filter { !$0.ended } }

  subscript(kind kind: UInt32) -> SessionRegister? { registers[kind] }

  /// A session that isn't over.
  subscript(id: GroupSessionID) -> SessionRegister? {
    registers.values.first { $0.id == id && !$0.ended }
  }

  /// Returns whether a register takes the place of what is held: as ``admits(_:kind:isVoid:)``, and of two that an
  /// author wrote under one stamp all take the same one.
  func admits(_ register: SessionRegister, isVoid: (Participant.ID) -> Bool) -> Bool {
    guard let held = registers[register.kind], held.stamp == register.stamp else {
      return admits(register.stamp, kind: register.kind, isVoid: isVoid)
    }
    return held.provenBytes.lexicographicallyPrecedes(register.provenBytes)
  }

  /// Whether what was written then has a place here.
  ///
  /// - Parameter isVoid: whether what somebody wrote gives way to anything else.
  func admits(_ stamp: Stamp, kind: UInt32, isVoid: (Participant.ID) -> Bool) -> Bool {
    if let held = registers[kind]?.stamp {
      return held != stamp && (held < stamp || isVoid(held.participant))
    }
    guard registers.count >= Self.limit, let oldest = all.first else { return true }
    return oldest.stamp < stamp
  }

  /// - Returns: the sessions that are over with it for this participant, whether it had joined them or not.
  mutating func take(_ register: SessionRegister) -> [SessionRegister] {
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

  /// For a beacon.
  var held: [Beacon.HeldSession] {
    all.map { register in
      Beacon.HeldSession(
        kind: register.kind, stamp: register.stamp,
        joined: joined.contains(register.id) ? register.id : nil)
    }
  }
}
