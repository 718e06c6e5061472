import Foundation
import GroupActivities
import NATSTransport
import WatchTogether

@testable import MatineeKit

/// A member of a party that uses the library directly, and may name any text as a film.
struct Guest {
  let party: Party

  init(_ invite: String, name: String) async throws {
    party = try await Party.join(invite: Invite(invite), name: name)
  }

  /// Proposes an activity that no honest program would propose, in its form on the wire.
  func propose(_ location: String, title: String = "Film") async throws {
    let identifier = "url:\(location)".prefix(64) + " " + UUID().uuidString.prefix(8)
    let entry: [String: any Sendable] = [
      "id": 1, "identifier": String(identifier), "title": title,
      "location": location, "at": [1], "moved": [0, 1],
    ]
    let data = try JSONSerialization.data(
      withJSONObject: ["playlist": [entry], "current": 1, "chosen": [0, 1]])
    try await JSONDecoder().decode(FilmActivity.self, from: data).activate(in: party)
  }
}
