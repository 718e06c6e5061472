import GroupActivities

/// The commands of the user, in one table: the source of every way to type one, and of every list of them.
package enum UserCommandTable {
  /// A command.
  package struct Row: Sendable {
    /// The word that begins the command's line.
    package var name: String
    /// Other words for the name, each of which works in its place.
    package var aliases: [String]
    /// mpv's own command for it, which works too; nil if mpv has none.
    package var mpv: String?
    /// The argument's form, as in `SECONDS|+SECONDS|PERCENT%`; empty without an argument. Brackets mark an
    /// optional one.
    package var argument: String
    /// The argument's meaning with its unit and range; empty without an argument.
    package var values: String
    /// Complete lines.
    package var examples: [String]
    /// The group of related commands.
    package var section: Section
    /// The participants who may use the command.
    package var permission: Permission
    /// A Boolean value that indicates whether the command needs a party.
    package var isPartyOnly: Bool
    /// One line of help, in the imperative, without a full stop.
    package var help: String
    /// Reads the argument; nil if it has another form.
    var read: @Sendable (String) throws(UserCommandProblem) -> UserCommand?

    init(
      _ section: Section, _ name: String, _ argument: String = "", _ values: String = "",
      examples: [String] = [], aliases: [String] = [], mpv: String? = nil,
      by permission: Permission = .anyone, isPartyOnly: Bool = false, help: String,
      read: @escaping @Sendable (String) throws(UserCommandProblem) -> UserCommand?
    ) {
      self.section = section
      self.name = name
      self.argument = argument
      self.values = values
      self.examples = examples.isEmpty ? [name] : examples
      self.aliases = aliases
      self.mpv = mpv
      self.permission = permission
      self.isPartyOnly = isPartyOnly
      self.help = help
      self.read = read
    }

    /// A Boolean value that indicates whether the argument is a file, or also a URL.
    package var takesLocation: Bool { argument.hasPrefix("FILE") }
    /// A Boolean value that indicates whether the argument is a folder.
    package var takesFolder: Bool { argument == "FOLDER" }

    /// The name with its argument: `seek SECONDS|+SECONDS`.
    package var usage: String { argument.isEmpty ? name : name + " " + argument }

    /// The help for the command without an argument: the line up to the semicolon after which it explains one, and the
    /// condition if only hosts may use it.
    package var shortHelp: String {
      let words = help.prefix { $0 != ";" }
      return switch permission {
      case .anyone, .controllers: String(words)
      case .coHosts, .host: String(words) + (permission.words.map { " (\($0))" } ?? "")
      }
    }
  }

  /// The participants who may use a command.
  package enum Permission: String, Hashable, Sendable {
    /// Every participant, also outside a party.
    case anyone
    /// Everyone who may control playback by the party's rules.
    case controllers
    /// The host and the co-hosts.
    case coHosts
    /// The host.
    case host

    /// A description of the participants, for a list of commands; nil for everyone.
    package var words: String? {
      switch self {
      case .anyone: nil
      case .controllers: "if you may control playback"
      case .coHosts: "hosts only"
      case .host: "host only"
      }
    }
  }

  /// A group of related commands, in the order of the lists.
  package enum Section: String, CaseIterable, Hashable, Sendable {
    /// Play, pause, seeks and rates.
    case playback = "Playback"
    /// The films of the party, and their order.
    case films = "Films and playlist"
    /// Volume, tracks, subtitles and the location of the picture.
    case sound = "Sound, picture and subtitles"
    /// People, invites, roles and chat.
    case party = "Party"
    /// Strokes over the picture.
    case drawing = "Drawing on the film"
    /// Folders, searches and earlier parties.
    case library = "Library"
    /// Help, settings and the end of the program.
    case program = "Program"
  }

  /// The commands, section by section.
  package static let rows: [Row] = [
    playback, films, sound, party, rules, drawing, library, program,
  ].flatMap { $0 }

  private static let byName = {
    var found: [String: Row] = [:]
    for row in rows {
      for name in [row.name] + row.aliases {
        precondition(found.updateValue(row, forKey: name) == nil, "\(name) is in two rows")
      }
    }
    return found
  }()

  /// Returns the command with this name or alias; nil if there is none.
  package static func row(_ name: String) -> Row? { byName[name] }
}

extension UserCommand {
  /// The longest part of a wrong text that a message repeats, in characters.
  private static let shownLength = 60

  /// Reads a line: a name and its argument, or a command of mpv's.
  ///
  /// - Throws: ``UserCommandProblem`` with a description of the expected line.
  package init(_ line: String) throws(UserCommandProblem) {
    let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
    let name = words.first ?? ""
    guard let row = UserCommandTable.row(name) else {
      let found = try Self(mpv: line.split(whereSeparator: \.isWhitespace).map(String.init))
      guard let found else { throw Self.unknown(name) }
      self = found
      return
    }
    let rest = words.count > 1 ? words[1] : ""
    // Spaces may belong to a file's name; a carriage return belongs to the line's end.
    let argument =
      row.takesLocation ? rest.hasSuffix("\r") ? String(rest.dropLast()) : rest : Self.trimmed(rest)
    try self.init(row, argument)
  }

  private init(_ row: UserCommandTable.Row, _ argument: String) throws(UserCommandProblem) {
    if let command = try row.read(argument) {
      self = command
      return
    }
    let examples = row.examples.joined(separator: ", ")
    if row.argument.isEmpty {
      throw UserCommandProblem("\(row.name) takes no argument, as in: \(examples)")
    }
    throw UserCommandProblem(
      "\(row.name) needs \(row.values)"
        + (argument.isEmpty ? "" : ", not “\(Self.shown(argument))”") + ", as in: \(examples)")
  }

  /// Reads a line of the chat: a command after a slash, or a message. Two slashes at the beginning mean a message
  /// that begins with one.
  package init(chatLine text: String) throws(UserCommandProblem) {
    guard text.hasPrefix("/"), !text.hasPrefix("//") else {
      let message = text.hasPrefix("//") ? String(text.dropFirst()) : text
      self = .say(Reaction.replacingNames(in: message))
      return
    }
    let line = text.dropFirst()
    let name = String(line.prefix { !$0.isWhitespace })
    guard UserCommandTable.row(name) != nil else {
      throw UserCommandProblem(
        Spelling.nearest(to: name, among: Self.names).map {
          "Unknown command. Did you mean /\($0)?"
        }
          ?? "Unknown command. Type / to see the list. (// sends a literal slash)")
    }
    try self.init(String(line))
  }

  private static var names: [String] {
    UserCommandTable.rows.flatMap { row in [row.name] + row.aliases }
  }

  private static func unknown(_ name: String) -> UserCommandProblem {
    let similar = Spelling.suggestion(for: name, among: names)
    var problem = UserCommandProblem(
      "“\(shown(name))” isn't a command" + (similar.isEmpty ? "." : similar))
    problem.isUnknownCommand = true
    return problem
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  /// Returns the beginning of a text, without characters that a terminal interprets.
  static func shown(_ text: String) -> String { PartyText.clean(text, limit: shownLength) }
}
