import PlaybackCoordination
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import Screening

typealias TestFilmMachine = FilmMachine<String>

/// The programs of several people who watch together, on virtual time: their film machines are the real ones, their
/// players, disks and servers are models that are slow, fail and answer late.
struct FilmMachineSimulation {
  /// A rule that was broken.
  struct Violation: Error, Hashable, CustomStringConvertible {
    var rule: Rule
    var description: String
  }

  enum Rule: String, Hashable, Sendable, CaseIterable {
    /// The film in the player is the one that the state names.
    case screen
    /// The coordinator has the suspensions that the film machine has.
    case separations
    /// Each question to the user has one answer, or is withdrawn.
    case questions
    /// Somebody apart is moved by nobody.
    case apart
    /// An answer that comes late changes nothing.
    case lateAnswers
    /// Nothing is waited for once every request is answered.
    case progress
    /// Everybody with the film has the group's film in the end.
    case together
  }

  /// A change of what a machine returned, which a checker must find.
  typealias Distortion = (
    _ event: TestFilmMachine.Event, _ before: TestFilmMachine, _ after: inout TestFilmMachine,
    _ directives: inout [TestFilmMachine.Directive]
  ) -> Void

  /// One participant: the film machine, and a model of what its shell reaches.
  private struct Person {
    var filmMachine = TestFilmMachine()
    /// The requests whose answers are on their way.
    var requests: [TestFilmMachine.Directive] = []
    /// The film in the player.
    var loaded: FilmIdentity?
    var suspensions: Set<Separation> = []
    var question: TestFilmMachine.Number?
    var questions: [TestFilmMachine.Number: Int] = [:]
    /// The programs that the session delivers next.
    var deliveries: [(list: Playlist, by: Int)] = []
    var isHere = false
    /// The titles of the films of which this participant has a copy.
    var copies: Set<String>
    /// The servers that the user trusts.
    var trusted: Set<String> = []
  }

  private var dice: RandomSource
  private var people: [Person]
  private var list: Playlist
  private var now = HostTime(nanoseconds: 1_000_000_000)
  private let distortion: Distortion?

  private static let titles = ["alpha", "beta", "gamma", "https://one/delta", "https://two/eta"]
  private static let ids = (0..<20).map { index in
    Participant.ID(high: UInt64(index), low: 1)
  }

  init(seed: UInt64, distortion: Distortion? = nil) {
    var dice = RandomSource.seeded(seed)
    self.distortion = distortion
    list = Playlist(Self.entry("alpha", &dice), at: nil, using: &dice)
    people = (0..<Int.random(in: 1...5, using: &dice)).map { _ in
      Person(copies: Set(Self.titles.filter { _ in Bool.random(using: &dice) }))
    }
    self.dice = dice
  }

  /// Lets everybody act at random, then answers every request, and checks the rules after each event.
  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      now = now + .milliseconds(Int.random(in: 1...3000, using: &dice))
      let index = Int.random(in: people.indices, using: &dice)
      try alarm(of: index)
      switch Int.random(in: 0..<10, using: &dice) {
      case 0..<4: try answer(index)
      case 4..<6: try deliver(index)
      default: try act(index)
      }
    }
    try settle()
  }

  // MARK: - What people do

  private mutating func act(_ index: Int) throws {
    let filmMachine = people[index].filmMachine
    switch Int.random(in: 0..<16, using: &dice) {
    case 0..<3: try choose(index)
    case 3: try handle(.choseAlone(film(Self.titles.randomElement(using: &dice)!)), index)
    case 4: try handle(.separated(.steppedAway, for: .init(rawValue: "steppedAway")), index)
    case 5: try handle(.resumed(people[index].isHere ? list : filmMachine.adopted), index)
    case 6: try handle(.separated(.scrubbing, for: .userIsChangingCurrentTime), index)
    case 7: try handle(.rejoined(.scrubbing, proposing: nil), index)
    case 8: try handle(.separated(.notReady, for: .init(rawValue: "readyCheck")), index)
    case 9: try handle(.rejoined(.notReady, proposing: nil), index)
    case 10: try handle(.lostServer, index)
    case 11:
      // The player has given up its film, or the user closed it there.
      people[index].loaded = nil
      try handle(.unplayable, index)
    case 12: try handle(.putBack(people[index].isHere ? list : filmMachine.adopted), index)
    case 13: try enterOrLeave(index)
    case 14:
      if let entry = filmMachine.adopted?.current, case .missing = filmMachine.state {
        people[index].copies.insert(entry.title)
        try handle(.copyFound(film(entry.title), entry: entry.id), index)
      }
    default: try answerQuestion(index)
    }
  }

  private mutating func choose(_ index: Int) throws {
    let title = Self.titles.randomElement(using: &dice)!
    guard people[index].isHere else {
      let own = Playlist(Self.entry(title, &dice), at: nil, using: &dice)
      return try handle(.chose(film(title).shown(as: own.current.id), own, proposing: nil), index)
    }
    list.open(Self.entry(title, &dice), at: nil, using: &dice)
    for other in people.indices where people[other].isHere {
      people[other].deliveries.append((list, by: index))
    }
  }

  private mutating func enterOrLeave(_ index: Int) throws {
    people[index].isHere.toggle()
    people[index].deliveries = []
    guard people[index].isHere else { return try handle(.leftParty, index) }
    try handle(.enteredParty, index)
    try handle(.sessionBegan, index)
    people[index].deliveries = [(list, by: index)]
  }

  private mutating func answerQuestion(_ index: Int) throws {
    guard let number = people[index].question else { return }
    let isAllowed = Bool.random(using: &dice)
    if isAllowed, case .asking(_, let server) = people[index].filmMachine.state {
      people[index].trusted.insert(server)
    }
    people[index].questions[number, default: 0] += 1
    people[index].question = nil
    try handle(.answered(isAllowed), index)
  }

  private mutating func deliver(_ index: Int) throws {
    guard !people[index].deliveries.isEmpty else { return }
    let (list, by) = people[index].deliveries.removeFirst()
    let chooser = Chooser.participant(Self.ids[by], isLocal: by == index)
    try handle(.adopted(list, by: chooser, .chosen), index)
  }

  // MARK: - The models of the player, the disks and the servers

  private mutating func alarm(of index: Int) throws {
    guard let due = people[index].filmMachine.nextDeadline, now >= due else { return }
    try perform(people[index].filmMachine.timerFired(at: now), index)
    try check(index)
  }

  /// Answers one of the requests, not always the oldest.
  private mutating func answer(_ index: Int) throws {
    guard let chosen = people[index].requests.indices.randomElement(using: &dice) else { return }
    let request = people[index].requests.remove(at: chosen)
    let luck = Int.random(in: 0..<10, using: &dice)
    switch request {
    case .resolve(let number, let entry, let chooser):
      try handle(.resolved(number, resolution(entry, chooser, of: index)), index)
    case .load(let number, let film, _):
      // A player gives up a film when another is loaded.
      let isNewest = people[index].filmMachine.isCurrent(number)
      switch luck {
      case 0 where isNewest: try handle(.failed(number, "broken"), index)
      case 1 where isNewest: try handle(.cannotLoad(number, "no free port"), index)
      case 2 where isNewest: try handle(.refused(number, "elsewhere"), index)
      default:
        if isNewest { people[index].loaded = film }
        try handle(.loaded(number), index)
      }
    case .reopen(let number, _):
      try handle(luck < 5 ? .reopened(number) : .reopeningFailed(number), index)
    case .describe(let number, _): try handle(.described(number, mayAsk: luck > 0), index)
    default: preconditionFailure("not a request")
    }
  }

  private func resolution(_ entry: PlaylistEntry, _ chooser: Chooser, of index: Int)
    -> TestFilmMachine.Resolution
  {
    if people[index].copies.contains(entry.title) { return .film(film(entry.title), chooser) }
    guard let location = entry.location else { return .missing("no copy") }
    let server = String(location.dropFirst(8).prefix(3))
    guard people[index].trusted.contains(server) else { return .ask(server) }
    return .film(film(entry.title), chooser)
  }

  private mutating func handle(_ event: TestFilmMachine.Event, _ index: Int) throws {
    let before = people[index].filmMachine
    var directives = people[index].filmMachine.handle(event, at: now)
    distortion?(event, before, &people[index].filmMachine, &directives)
    try checkStep(event, from: before, directives, index)
    try perform(directives, index)
    try check(index)
  }

  private mutating func perform(_ directives: [TestFilmMachine.Directive], _ index: Int) throws {
    for directive in directives {
      switch directive {
      case .resolve, .load, .reopen, .describe: people[index].requests.append(directive)
      case .close: people[index].loaded = nil
      case .ask(let number, _):
        if people[index].questions[number] != nil {
          throw Violation(rule: .questions, description: "asked twice")
        }
        people[index].question = number
        people[index].questions[number] = 0
      case .separate(let separation, _):
        guard people[index].suspensions.insert(separation).inserted else {
          throw Violation(rule: .separations, description: "\(separation) begun twice")
        }
      case .rejoin(let separation, _):
        guard people[index].suspensions.remove(separation) != nil else {
          throw Violation(rule: .separations, description: "\(separation) ended twice")
        }
      case .begin, .makeRoom, .remember, .clearItem, .restoreItem, .tellReady, .endEarly, .announce,
        .tellPlaylist, .report, .tellOfTooManyQuestions, .tellOfRepeatedLoss, .tellOfLoss:
        break
      }
    }
    // A question whose state is over is no longer on the screen.
    if let number = people[index].question, !people[index].filmMachine.isCurrent(number) {
      people[index].question = nil
    }
  }

  // MARK: - The rules

  private func checkStep(
    _ event: TestFilmMachine.Event, from before: TestFilmMachine,
    _ directives: [TestFilmMachine.Directive], _ index: Int
  ) throws {
    let after = people[index].filmMachine
    if case .adopted(_, let chooser, _) = event, before.keepsFilm, !chooser.isOwn,
      before.film != after.film || before.state != after.state
        || directives.contains(where: { if case .resolve = $0 { true } else { false } })
    {
      throw Violation(rule: .apart, description: "moved from \(before.state) to \(after.state)")
    }
    if let number = event.number, !before.isCurrent(number),
      !directives.isEmpty || before.state != after.state
    {
      throw Violation(rule: .lateAnswers, description: "\(event) in \(before.state)")
    }
  }

  private func check(_ index: Int) throws {
    let person = people[index]
    guard person.suspensions == person.filmMachine.separations else {
      throw Violation(
        rule: .separations,
        description: "\(person.suspensions) instead of \(person.filmMachine.separations)")
    }
    guard person.filmMachine.separations.contains(.undecided) == person.filmMachine.isAsking,
      (person.question != nil) == person.filmMachine.isAsking
    else { throw Violation(rule: .questions, description: "\(person.filmMachine.state)") }
    let isRight =
      switch person.filmMachine.state {
      case .open, .lost, .reopening: person.loaded == person.filmMachine.film
      case .closed, .missing, .describing, .asking:
        person.filmMachine.film == nil && person.loaded == nil
      case .loading, .unplayable: true
      }
    guard isRight else {
      throw Violation(
        rule: .screen,
        description: "\(person.filmMachine.state) with \(person.loaded?.title ?? "nothing")")
    }
  }

  private mutating func settle() throws {
    for index in people.indices {
      while !people[index].deliveries.isEmpty { try deliver(index) }
      var rounds = 0
      while !people[index].requests.isEmpty || people[index].filmMachine.nextDeadline != nil {
        now = now + .seconds(10)
        try alarm(of: index)
        try answer(index)
        rounds += 1
        guard rounds < 200 else {
          throw Violation(rule: .progress, description: "\(people[index].filmMachine.state)")
        }
      }
      let filmMachine = people[index].filmMachine
      guard !filmMachine.isOnItsWay else {
        throw Violation(rule: .progress, description: "\(filmMachine.state) for ever")
      }
      switch filmMachine.state {
      case .loading, .describing, .reopening, .lost:
        throw Violation(rule: .progress, description: "\(filmMachine.state) for ever")
      case .open:
        guard people[index].isHere, !filmMachine.keepsFilm else { break }
        guard filmMachine.film?.item == list.current.item else {
          throw Violation(
            rule: .together,
            description: "\(filmMachine.film?.title ?? "-") instead of \(list.current.title)")
        }
      case .closed, .missing, .asking, .unplayable: break
      }
    }
  }

  // MARK: - Films

  private static func entry(_ title: String, _ dice: inout RandomSource) -> PlaylistEntry {
    PlaylistEntry(
      id: .random(in: .min ... .max, using: &dice), identifier: title, title: title,
      location: title.contains("://") ? title : nil)
  }

  private func film(_ title: String) -> FilmIdentity {
    FilmIdentity(
      identifier: title, title: title, location: title.contains("://") ? title : "/films/" + title)
  }
}

extension FilmMachine.Event {
  /// The number of the request that the event answers; nil for other events.
  fileprivate var number: Int? {
    switch self {
    case .resolved(let number, _), .loaded(let number), .failed(let number, _),
      .cannotLoad(let number, _), .refused(let number, _), .described(let number, _),
      .reopened(let number), .reopeningFailed(let number):
      number
    case .enteredParty, .leftParty, .chose, .choseAlone, .adopted, .edited, .sessionBegan,
      .copyFound, .answered, .lostServer, .unplayable, .resumed, .putBack, .separated,
      .rejoined, .separationFailed:
      nil
    }
  }
}
