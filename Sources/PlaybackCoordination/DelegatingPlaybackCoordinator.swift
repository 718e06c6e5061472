/// Routes every transport command through the group before the player sees it.
public actor DelegatingPlaybackCoordinator {
  public init() {}
}
