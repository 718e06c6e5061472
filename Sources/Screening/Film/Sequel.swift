/// The film that continues another one by its name: the next episode, or the next part.
enum Sequel {
  /// Returns the film after `location` if its name is the same up to a number that is greater by one.
  ///
  /// - Parameter films: the films in one folder, in the order in which people sort their names.
  static func of(_ location: String, among films: [String]) -> String? {
    guard let index = films.firstIndex(of: location), index + 1 < films.count else { return nil }
    let next = films[index + 1]
    return continues(pieces(of: location), pieces(of: next)) ? next : nil
  }

  /// Returns a film's name without its ending.
  static func title(_ location: String) -> String {
    let name = location.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return String(name) }
    return String(name[..<dot])
  }

  /// The pieces of a name: text in lower case, or the digits of a number.
  private static func pieces(of location: String) -> [String] {
    var pieces: [String] = []
    for character in title(location).lowercased() {
      if let last = pieces.last?.last, isDigit(last) == isDigit(character) {
        pieces[pieces.count - 1].append(character)
      } else {
        pieces.append(String(character))
      }
    }
    return pieces
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  private static func continues(_ before: [String], _ after: [String]) -> Bool {
    guard let index = zip(before, after).enumerated().first(where: { $1.0 != $1.1 })?.offset,
      let number = Int(before[index]), Int(after[index]) == number + 1
    else { return false }
    guard index > 0 else { return isNumbered(before) }
    return !(["x", "h"].contains(before[index - 1].last) && number == 264)
  }

  /// Returns whether the number at a name's beginning counts films: "01 Pilot" and "1 - Pilot", not "12 Monkeys".
  private static func isNumbered(_ pieces: [String]) -> Bool {
    guard pieces.count > 1, pieces[0].first != "0" else { return true }
    return pieces[1].first { $0 != " " }?.isLetter != true
  }
}
