import GroupActivities

/// A name for a party that people can say: two words, derived from the party's id.
package enum PartyName {
  private static let first = [
    "amber", "brave", "calm", "crisp", "dapper", "eager", "fancy", "gentle", "happy", "jolly",
    "keen",
    "lucky", "mellow", "noble", "plucky", "quiet", "rapid", "silver", "tidal", "velvet", "warm",
    "zesty",
  ]
  private static let second = [
    "badger", "crane", "dolphin", "ermine", "falcon", "gecko", "heron", "ibis", "jackal", "koala",
    "lynx", "marten", "newt", "otter", "puffin", "quail", "raven", "seal", "tapir", "vole",
    "wombat",
  ]

  /// Returns the name of the party with this id.
  package static func of(_ party: Participant.ID) -> String {
    // FNV-1a over the id's digits.
    let hash = party.description.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return "\(first[Int(hash % UInt64(first.count))])-\(second[Int(hash >> 32) % second.count])"
  }
}
