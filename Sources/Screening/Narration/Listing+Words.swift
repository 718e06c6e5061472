import Timekeeping

/// The texts of the lists of remembered items.
extension ScreeningEvent.Listing {
  /// The items as sentences for people, or one sentence if there are none.
  package var sentences: [String] {
    switch self {
    case .folders(let folders):
      Self.sentences(
        folders, orElse: "The library has no media folders. Add one with: add-folder FOLDER"
      ) { folder in
        let films = folder.titles == 1 ? "1 film" : "\(folder.titles) films"
        return "\(folder.path): \(folder.away ? "offline" : films)"
      }
    case .found(let files): Self.sentences(files, orElse: "No match") { $0.path }
    case .parties(let parties):
      Self.sentences(parties, orElse: "No recent parties") { party in
        let state = party.ending ?? (party.host ? "yours" : "as \(party.ownName)")
        return
          "\(party.name ?? ""), \(state), \(StoryWords.day(party.last)): rejoin \(party.party)"
      }
    case .people(let people):
      Self.sentences(people, orElse: "You haven't met anyone yet") {
        "\($0.name), last on \(StoryWords.day($0.last))"
      }
    case .hosts(let hosts):
      Self.sentences(hosts, orElse: "No trusted servers") {
        "\($0.host), since \(StoryWords.day($0.since))"
      }
    case .moments(let moments):
      Self.sentences(
        moments, orElse: "No moments yet. Two of you have to mark one within five seconds."
      ) { moment in
        let time = StoryWords.clock(MediaTime(seconds: moment.position))
        return
          "\(Reaction.moment.symbol) \(time) \(StoryWords.list(moment.names)), in \(moment.title)"
      }
    case .page(let page): page.sentences
    case .syncplay(let door): [door.sentence]
    }
  }

  private static func sentences<Item>(
    _ items: [Item], orElse nothing: String, _ sentence: (Item) -> String
  ) -> [String] {
    items.isEmpty ? [nothing] : items.map(sentence)
  }
}

extension ScreeningEvent.Listing.Syncplay {
  /// The way in for friends, as a sentence.
  package var sentence: String {
    let way =
      "Friends with Syncplay join at \(addresses.joined(separator: " or ")), in any room, with the password \(password). "
    return way
      + (encrypted
        ? "They are encrypted, if their systems trust your certificate."
        : "Anyone on the way can read along and take part: Syncplay isn't encrypted here.")
  }
}

extension ScreeningEvent.Listing.Page {
  /// The ways to pass the page on, as sentences.
  fileprivate var sentences: [String] {
    let written = file.map {
      "The page is in \($0). Send it to one friend, who opens it in a browser."
    }
    return [written].compactMap { $0 }
      + links.map { link in
        let warning = link.secure ? "" : " Anyone on the way could change this page; fine at home."
        return "Or, \(link.kind), send this link to one friend: \(link.url)\(warning)"
      }
  }
}
