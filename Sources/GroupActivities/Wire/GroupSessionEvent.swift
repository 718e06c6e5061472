import Foundation

/// A participant's action, for a notice to the other users. Mirrors `GroupActivities.GroupSessionEvent`.
public struct GroupSessionEvent: Hashable, Sendable {
  /// The acting participant, proven by its key.
  public let originator: Participant
  /// The action that the notice reports.
  public let action: Action
  /// The address of the action's object, if it has one.
  public let url: String?

  /// An action that a notice describes. Mirrors `GroupSessionEvent.Action`.
  public enum Action: Hashable, Sendable, Codable {
    /// Starts or resumes playback.
    case play
    /// Pauses playback.
    case pause
    /// Moves to another position in the item.
    case seek
    /// Skips to another item; `item` is its title, if known.
    case skip(item: String?)
    /// Changes the list of items to come; nil if the change isn't known.
    case updatedQueue(QueueChange?)
  }

  /// A change of the list of items to come, with an item's title if known.
  public enum QueueChange: Hashable, Sendable, Codable {
    /// Appends an item to the list.
    case added(String?)
    /// Makes an item the next one.
    case setUpNext(String?)
  }

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - originator: the participant that acts: this one.
  ///   - action: the action.
  ///   - url: the address of the action's object; nil for none. Receivers see 2000 characters at most.
  public init(originator: Participant, action: Action, url: String? = nil) {
    self.originator = originator
    self.action = action
    self.url = url
  }

  /// The longest address or title, in bytes.
  fileprivate static let textLimit = AppMessage.sizeLimit

  /// An event on the wire, which doesn't name its originator.
  private struct Body: BinaryCodable {
    var action: Action
    var url: String?

    init(action: Action, url: String?) {
      self.action = action
      self.url = url
    }

    func write(to writer: inout BinaryWriter) {
      writer.flags(url != nil)
      writer.value(action)
      if let url { writer.text(url) }
    }

    init(from reader: inout BinaryReader) throws(WireError) {
      let hasURL = try reader.flag()
      action = try reader.value()
      if hasURL { url = try reader.text(limit: textLimit) }
    }
  }

  func encoded() -> Data { Data(Body(action: action, url: url).binary) }

  /// Decodes an event. The originator is always the message's sender, whatever the message claims.
  init?(decoding data: Data, from source: Participant) {
    guard let body = try? Body(binary: data) else { return nil }
    self.init(
      originator: source, action: body.action.cleaned,
      url: body.url.map { PartyText.clean($0, limit: 2000) })
  }
}

extension GroupSessionEvent.Action: BinaryCodable {
  /// The numbers of the actions. Never reuse one.
  private enum Kind: UInt8 {
    case play = 1
    case pause = 2
    case seek = 3
    case skip = 4
    case queue = 5
    case queueAdded = 6
    case queueSetUpNext = 7
  }

  package func write(to writer: inout BinaryWriter) {
    func write(_ kind: Kind) { writer.byte(kind.rawValue) }
    func write(_ kind: Kind, _ title: String?) {
      writer.byte(kind.rawValue)
      writer.flags(title != nil)
      if let title { writer.text(title) }
    }
    switch self {
    case .play: write(.play)
    case .pause: write(.pause)
    case .seek: write(.seek)
    case .skip(let title): write(.skip, title)
    case .updatedQueue(nil): write(.queue)
    case .updatedQueue(.added(let title)): write(.queueAdded, title)
    case .updatedQueue(.setUpNext(let title)): write(.queueSetUpNext, title)
    }
  }

  package init(from reader: inout BinaryReader) throws(WireError) {
    let number = try reader.byte()
    guard let kind = Kind(rawValue: number) else { throw .unknown("action \(number)") }
    switch kind {
    case .play: self = .play
    case .pause: self = .pause
    case .seek: self = .seek
    case .skip: self = .skip(item: try Self.title(&reader))
    case .queue: self = .updatedQueue(nil)
    case .queueAdded: self = .updatedQueue(.added(try Self.title(&reader)))
    case .queueSetUpNext: self = .updatedQueue(.setUpNext(try Self.title(&reader)))
    }
  }

  private static func title(_ reader: inout BinaryReader) throws(WireError) -> String? {
    guard try reader.flag() else { return nil }
    return try reader.text(limit: GroupSessionEvent.textLimit)
  }
}

extension GroupSessionEvent.Action {
  /// The action with cleaned titles, since they come from another machine.
  fileprivate var cleaned: Self {
    func clean(_ title: String?) -> String? { title.map { PartyText.clean($0, limit: 200) } }
    switch self {
    case .play, .pause, .seek, .updatedQueue(nil): return self
    case .skip(let item): return .skip(item: clean(item))
    case .updatedQueue(.added(let item)): return .updatedQueue(.added(clean(item)))
    case .updatedQueue(.setUpNext(let item)): return .updatedQueue(.setUpNext(clean(item)))
    }
  }
}
