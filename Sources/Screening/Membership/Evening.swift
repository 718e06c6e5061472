import GroupActivities
import Timekeeping

/// The part of the people in a stay in a party: their chat, their reactions and the moments that they marked, each at its
/// place in the film.
package struct Evening: Hashable, Sendable {
  /// A place in a film.
  package struct Place: Hashable, Sendable {
    /// The film's identifier.
    package var film: String
    package var title: String
    package var itemTime: MediaTime

    package init(film: String, title: String, itemTime: MediaTime) {
      (self.film, self.title, self.itemTime) = (film, title, itemTime)
    }
  }

  /// A place that several people marked.
  package struct Moment: Hashable, Sendable {
    package var place: Place
    package var people: [ScreeningEvent.Person]

    package init(place: Place, people: [ScreeningEvent.Person]) {
      (self.place, self.people) = (place, people)
    }
  }

  package struct Remark: Hashable, Sendable {
    package enum Kind: Hashable, Sendable, Codable {
      case said(String)
      case reacted(Reaction)

      /// The text, or the reaction's sign.
      package var text: String {
        switch self {
        case .said(let text): text
        case .reacted(let reaction): reaction.symbol
        }
      }
    }

    package var kind: Kind
    package var author: ScreeningEvent.Person
    /// Nil without a film.
    package var place: Place?
  }

  /// The distance in the film within which marks belong to the same moment.
  static let reach = Duration.seconds(5)
  /// The largest number of remarks that are kept: more than an evening has.
  static let limit = 10_000

  private(set) var remarks: [Remark] = []
  /// The marks, those of one person too: another person may join in later.
  private var marks: [Moment] = []

  /// The moments that several people marked, in the order of their first marks.
  package var moments: [Moment] { marks.filter { $0.people.count > 1 } }

  /// Returns the remarks about a film, and those of earlier evenings that aren't among them.
  func remarks(about film: String, with echoes: [Echoes.Echo] = []) -> [Echoes.Echo] {
    let own = remarks.compactMap { remark in
      remark.place.flatMap { place in
        place.film != film
          ? nil
          : Echoes.Echo(
            name: remark.author.name, text: remark.kind.text, itemTime: place.itemTime)
      }
    }
    // They are kept in milliseconds.
    return own
      + echoes.filter { echo in
        !own.contains {
          $0.name == echo.name && $0.text == echo.text
            && ($0.itemTime - echo.itemTime).magnitude < .milliseconds(2)
        }
      }
  }

  /// The reactions, the most frequent first.
  var reactions: [(reaction: Reaction, count: Int)] {
    Reaction.allCases.map { reaction in
      (reaction, remarks.count { $0.kind == .reacted(reaction) })
    }
    .filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
  }

  /// - Returns: false if too much was said.
  @discardableResult
  mutating func said(
    _ text: String, by author: ScreeningEvent.Person, at place: Place?
  ) -> Bool {
    note(Remark(kind: .said(text), author: author, place: place))
  }

  /// - Returns: the moment that another person joined with this mark; nil for any other reaction.
  mutating func reacted(
    _ reaction: Reaction, by author: ScreeningEvent.Person, at place: Place?
  ) -> Moment? {
    guard note(Remark(kind: .reacted(reaction), author: author, place: place)) else { return nil }
    guard reaction == .moment, let place else { return nil }
    let near = marks.indices.filter {
      marks[$0].place.film == place.film
        && (marks[$0].place.itemTime - place.itemTime).magnitude <= Self.reach
    }
    let joined = near.first { index in !marks[index].people.contains { $0.id == author.id } }
    guard let joined else {
      if near.isEmpty { marks.append(Moment(place: place, people: [author])) }
      return nil
    }
    marks[joined].people.append(author)
    return marks[joined]
  }

  private mutating func note(_ remark: Remark) -> Bool {
    guard remarks.count < Self.limit else { return false }
    remarks.append(remark)
    return true
  }
}

extension ScreeningEvent.Moment {
  init(_ moment: Evening.Moment) {
    self.init(
      title: moment.place.title, position: moment.place.itemTime, names: moment.people.map(\.name))
  }
}
