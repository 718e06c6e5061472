import Foundation

/// Something that a participant did, to be told to people. Mirrors `GroupActivities.GroupSessionEvent`.
public struct GroupSessionEvent: Hashable, Sendable {
  /// Who did it, proven by its key.
  public let originator: Participant
  public let action: Action
  /// What it was done to, if that has an address.
  public let url: String?

  public enum Action: Hashable, Sendable, Codable {
    case play
    case pause
    case seek
    /// To another item, whose title it may name.
    case skip(item: String?)
    case updatedQueue(QueueChange?)
  }

  public enum QueueChange: Hashable, Sendable, Codable {
    case added(String?)
    case setUpNext(String?)
  }

  public init(originator: Participant, action: Action, url: String? = nil) {
    self.originator = originator
    self.action = action
    self.url = url
  }

  private struct Body: Codable {
    var action: Action
    var url: String?
  }

  func encoded() -> Data {
    do {
      return try JSONEncoder().encode(Body(action: action, url: url))
    } catch {
      preconditionFailure("a notice of ours can't be encoded: \(error)")
    }
  }

  /// Whatever the message claims, it is its sender's doing.
  init?(decoding data: Data, from source: Participant) {
    guard let body = try? JSONDecoder().decode(Body.self, from: data) else { return nil }
    self.init(
      originator: source, action: body.action.cleaned,
      url: body.url.map { PartyText.clean($0, limit: 2000) })
  }
}

extension GroupSessionEvent.Action {
  /// Titles come from another machine.
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
