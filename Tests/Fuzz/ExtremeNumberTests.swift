import Testing

@testable import GroupActivities

/// Numbers at the edges of `Double` and of integers of 64 bits, and beyond, in every field of every
/// message of a whole evening: an unchecked conversion or addition of one ends the test's process.
@Suite("Extreme numbers in a party")
struct ExtremeNumberTests {
  @Test("No number in any message ends a program", arguments: [false, true])
  func everyNumber(malloryHosts: Bool) {
    var honest = FuzzEvening(malloryHosts: malloryHosts)
    honest.run()
    var tried: Set<Place> = []
    var read: Set<Kind> = []
    for bytes in honest.sent {
      for place in Mutation.numberPlaces(in: bytes).map({ Place(kind: Kind(bytes), place: $0) })
      where tried.insert(place).inserted {
        for extreme in Mutation.extremes(at: place.place) {
          // All messages of that kind, since only one of them may come at the decisive moment.
          var evening = FuzzEvening(malloryHosts: malloryHosts) { bytes in
            Kind(bytes) == place.kind
              ? Mutation.replacing(place.place, in: bytes, with: extreme) : bytes
          }
          evening.run()
          if evening.readable > 0 { read.insert(place.kind) }
        }
      }
    }
    let kinds = Set(honest.sent.map(Kind.init))
    #expect(kinds.count >= 8, "\(kinds)")
    #expect(read == kinds)
  }

  /// The delivery and the type of a message: its first bytes.
  private struct Kind: Hashable {
    var start: [UInt8]

    init(_ bytes: [UInt8]) { start = Array(bytes.prefix(2)) }
  }

  private struct Place: Hashable {
    var kind: Kind
    var place: Mutation.NumberPlace
  }
}
