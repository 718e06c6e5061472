import GroupActivities

/// The notices with which programs announce actions of their users.
extension ScreeningEvent {
  /// An action of another participant that changes nothing here.
  package struct Action: Hashable, Sendable, Encodable {
    package enum Kind: String, Hashable, Sendable, Encodable {
      case play, pause, seek, skip
      /// A film was appended to the playlist.
      case queued
      /// A film was moved to the place after the current one.
      case upNext = "up-next"
      case queueChanged = "queue-changed"
    }

    package var kind: Kind
    /// The title of the film that the action concerns, if it is known.
    @Nullable package var title: String?
    /// The address of the film, if the notice names one.
    @Nullable package var url: String?

    private enum CodingKeys: String, CodingKey {
      case kind = "action"
      case title, url
    }

    package init(_ kind: Kind, title: String? = nil, url: String? = nil) {
      self.kind = kind
      _title = Nullable(wrappedValue: title)
      _url = Nullable(wrappedValue: url)
    }

    package init(_ notice: GroupSessionEvent) {
      switch notice.action {
      case .play: self.init(.play, url: notice.url)
      case .pause: self.init(.pause, url: notice.url)
      case .seek: self.init(.seek, url: notice.url)
      case .skip(let title): self.init(.skip, title: title, url: notice.url)
      case .updatedQueue(.added(let title)?): self.init(.queued, title: title, url: notice.url)
      case .updatedQueue(.setUpNext(let title)?): self.init(.upNext, title: title, url: notice.url)
      case .updatedQueue(nil): self.init(.queueChanged, url: notice.url)
      }
    }

    /// The text that follows the author's name.
    var words: String {
      let film = title ?? "a film"
      return switch kind {
      case .play: "started playback"
      case .pause: "paused"
      case .seek: "went to another position"
      case .skip: "skipped to \(title ?? "another film")"
      case .queued: "added \(film) to the playlist"
      case .upNext: "put \(film) next in the playlist"
      case .queueChanged: "changed the playlist"
      }
    }
  }
}
